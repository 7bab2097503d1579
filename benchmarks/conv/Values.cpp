//===- Values.cpp - time to parse, resolve and check descriptors ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Microseconds of what a library does before it knows whether it can help: the
// best of many rounds, since what other load adds is no part of it. Nothing
// here compiles or touches a file.
//
//===----------------------------------------------------------------------===//
#include "Groups.h"

#include "ConvBuilder/Emit.h"
#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/Hash.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

using namespace kpack;
using namespace kpack::conv;

/// What must not be optimised away.
static volatile uint64_t Sink;

/// Of one call, in microseconds.
template <typename Function>
static double measureMicroseconds(int Rounds, Function &&Do) {
  constexpr int Calls = 200;
  double Best = 1e9;
  for (int R = 0; R < Rounds * 10; ++R) {
    auto Start = std::chrono::steady_clock::now();
    for (int I = 0; I < Calls; ++I)
      Sink = Do();
    std::chrono::duration<double, std::micro> Took =
        std::chrono::steady_clock::now() - Start;
    Best = std::min(Best, Took.count() / Calls);
  }
  return Best;
}

void measureValues(const Run &Settings, std::vector<Row> &Rows) {
  Signature Given{.spatial_dim = 2, .data_type = DataType::FP16};
  Given.output.operation =
      Operation{.elementwise_operation = ElementwiseOperation::SCALE};
  Problem Sizes{.c = 64, .k = 64, .image = {56, 56}, .filter = {3, 3}};
  Sizes.pad = {{1, 1}, {1, 1}};
  Algorithm Partial;
  Partial.kind = Kind::IMPLICIT_GEMM;
  Partial.isa = Isa::MFMA;
  Resolved Whole = resolve(Given, Partial, "gfx942", Sizes);
  if (!Whole.ok())
    throw std::runtime_error(std::string(Whole.Why.view()));
  // Each call has another batch, so that none is another one's result.
  auto Add = [&](const char *Name, auto &&Do, std::optional<Aim> Wanted = {}) {
    auto Next = [&] {
      Sizes.batch = Sizes.batch % 8 + 1;
      return Do();
    };
    Rows.push_back({"values", Name, "us",
                    measureMicroseconds(Settings.Rounds, Next), Wanted});
  };
  auto RoundTrip = [&] {
    Whole.Algo.block_size ^= 64;
    auto Text = textOf(Whole.Algo, TextForm::Full);
    Algorithm Read;
    if (parseText(Text.view(), Read).failed())
      throw std::runtime_error("a text that cannot be read");
    return hashOf(Read);
  };
  Algorithm Kept = Whole.Algo;
  Add("print, parse and hash", RoundTrip, Aim{10});
  Whole.Algo = Kept;
  Add(
      "validate",
      [&] { return validate(Whole.Sig, Whole.Algo, "gfx942", Sizes).ok(); },
      Aim{1});
  Add("resolve", [&] { return resolve(Given, Partial, "gfx942", Sizes).ok(); });
  Add("a reason why not", [&] {
    return resolve(Given, Partial, "gfx1100", Sizes).Why.view().size();
  });
  Result<KernelSource> Source = emit(Whole.Sig, Whole.Algo, "gfx942");
  if (!Source)
    throw std::runtime_error(Source.status().message());
  Add("text of a kernel",
      [&] { return emit(Whole.Sig, Whole.Algo, "gfx942")->Text.size(); });
}
