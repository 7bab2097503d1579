//===- kpack/JitGraph/VarBounds.h - bounds of a size variable ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The type of a Var has a ceiling, which prepare() may narrow: to the limits of
// a model, or to one value, which is then a literal in the kernels.
//
//   g.prepare({.x = ..., .t = {1, 1500}})      .t = at_most(Model.max())
//                                              .t = at_least(10), fixed(80)
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_VARBOUNDS_H
#define KPACK_JITGRAPH_VARBOUNDS_H

#include "kpack/JitGraph/Dim.h"

#include <optional>
#include <string_view>

namespace kpack::jit {

/// Bounds that are not set are those of the type.
struct VarBounds {
  std::optional<int64_t> Min;
  std::optional<int64_t> Max;

  /// Returns the bounds of variable \p Name, whose type allows \p Ceiling.
  /// Errors: reversed bounds, bounds outside of that, and 0 as the only value,
  /// since a graph of empty tensors does nothing.
  Result<DimRange> within(DimRange Ceiling, std::string_view Name) const;
};

constexpr VarBounds at_most(int64_t Max) { return {std::nullopt, Max}; }
constexpr VarBounds at_least(int64_t Min) { return {Min, std::nullopt}; }
constexpr VarBounds fixed(int64_t Value) { return {Value, Value}; }

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_VARBOUNDS_H
