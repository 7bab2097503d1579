//===- ModelLayers.cpp - reader of networks' convolution layers -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "ModelLayers.h"

#include "kpack/ConvBuilder/Describe.h"

#include <algorithm>
#include <fstream>

using namespace kpack;
using namespace kpack::conv;

static Result<ModelLayer> readLayer(std::string_view Line) {
  size_t End = Line.find("} {");
  if (End == Line.npos)
    return Status(StatusCode::InvalidFormat,
                  "a signature, a space and a problem are expected");
  Result<Signature> Sig = parse<Signature>(Line.substr(0, End + 1));
  if (!Sig)
    return Sig.status();
  Result<Problem> P = parse<Problem>(Line.substr(End + 2));
  if (!P)
    return P.status();
  return ModelLayer{*Sig, *P};
}

Result<std::vector<ModelLayer>> conv::readModel(const std::string &Path) {
  std::ifstream Stream(Path);
  if (!Stream)
    return Status(StatusCode::FileNotFound, Path + ": cannot be read");
  std::vector<ModelLayer> Layers;
  std::string Line;
  for (unsigned LineNumber = 1; std::getline(Stream, Line); ++LineNumber) {
    if (Line.empty() || Line.front() == '#')
      continue;
    Result<ModelLayer> Layer = readLayer(Line);
    if (!Layer)
      return Status(StatusCode::InvalidFormat,
                    Path + ":" + std::to_string(LineNumber) + ": " +
                        Layer.status().message());
    Layers.push_back(*Layer);
  }
  return Layers;
}

std::vector<ModelLayer> conv::distinct(const std::vector<ModelLayer> &Layers) {
  std::vector<ModelLayer> Each;
  for (const ModelLayer &Layer : Layers)
    if (std::find(Each.begin(), Each.end(), Layer) == Each.end())
      Each.push_back(Layer);
  return Each;
}

long long conv::getWeights(const ModelLayer &Layer) {
  long long Count = static_cast<long long>(Layer.P.groups) * Layer.P.c;
  for (unsigned D = 0; D < Layer.P.filter.size(); ++D)
    Count *= Layer.P.filter[D];
  return Count * Layer.P.k;
}

long long conv::getProducts(const ModelLayer &Layer) {
  long long Count = getWeights(Layer) * Layer.P.batch;
  for (unsigned D = 0; D < Layer.P.image.size(); ++D)
    Count *= outputSize(Layer.P, D);
  return Count;
}

ModelLayer conv::scaled(ModelLayer Layer, int OldSize, int NewSize) {
  for (unsigned D = 0; D < Layer.P.image.size(); ++D)
    Layer.P.image[D] = std::max(Layer.P.image[D] * NewSize / OldSize, 1);
  return Layer;
}
