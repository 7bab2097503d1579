//===- ModelLayers.h - reader of networks' convolution layers ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads test/ConvBuilder/Inputs/models/*.txt: a line for each layer, which is
// the signature and the problem as text, with a space between. Empty lines and
// those that begin with # do not count.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_MODELLAYERS_H
#define KPACK_UNITTESTS_CONVBUILDER_MODELLAYERS_H

#include "kpack/ConvBuilder/Problem.h"
#include "kpack/ConvBuilder/Signature.h"
#include "kpack/Support/Status.h"

#include <string>
#include <vector>

namespace kpack::conv {

struct ModelLayer {
  Signature Sig; ///< as it is written
  Problem P;
  friend bool operator==(const ModelLayer &, const ModelLayer &) = default;
};

/// The layers of a file, in its order. Errors: FileNotFound; InvalidFormat,
/// "FILE:LINE: ...".
Result<std::vector<ModelLayer>> readModel(const std::string &Path);

/// Each once, in the order of their first.
std::vector<ModelLayer> distinct(const std::vector<ModelLayer> &Layers);

/// Products that a layer adds up, those with zeros around the image among them.
long long getProducts(const ModelLayer &Layer);
/// Elements of its weight.
long long getWeights(const ModelLayer &Layer);

/// The layer in the network for images of \p NewSize where this is for \p
/// OldSize; sizes below 1 become 1.
ModelLayer scaled(ModelLayer Layer, int OldSize, int NewSize);

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_MODELLAYERS_H
