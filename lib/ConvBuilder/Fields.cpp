//===- Fields.cpp - check that field lists are complete -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares each FieldList with the number of members of its struct. Not in the
// header, because counting costs every file that includes it a tenth of a
// second.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Fields.h"
#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/Problem.h"

using namespace kpack::conv;

namespace {

template <typename Struct> constexpr bool listIsComplete() {
  std::size_t Count = 0;
  FieldList<Struct>::each([&](auto, const Field &) { ++Count; });
  return Count == arity<Struct>();
}

template <typename... Structs> struct Complete {
  static_assert((listIsComplete<Structs>() && ...),
                "a member is missing in the FieldList of its struct");
};

template struct Complete<TensorConfig, AuxiliaryOperand, Operation, Tensor,
                         Signature>;
template struct Complete<MNK, WaveTile, LoadCluster, ThreadSlice, Operand,
                         StoreCluster, Shuffle, ResultPath, Pipeline, StreamK,
                         Split, Transpose, ThreadTile, HW, FilterFacts,
                         Depthwise, Padding, Algorithm>;
template struct Complete<Pad, Problem>;
template struct Complete<LoweredAuxiliary, LoweredTensor, Lowered>;

} // namespace
