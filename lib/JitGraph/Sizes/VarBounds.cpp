//===- VarBounds.cpp - bounds of a size variable --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three mistakes have three messages, with the requested and the right numbers.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/VarBounds.h"

using namespace kpack;
using namespace kpack::jit;

static std::string textOf(DimRange Range) {
  return std::to_string(Range.Lo) + " to " + std::to_string(Range.Hi);
}

Result<DimRange> VarBounds::within(DimRange Ceiling,
                                   std::string_view Name) const {
  auto Refused = [&](const std::string &Why) {
    return Status(StatusCode::InvalidArgument, std::string(Name) + ": " + Why);
  };
  DimRange Range{Min.value_or(Ceiling.Lo), Max.value_or(Ceiling.Hi)};
  if (!Ceiling.contains(Range.Lo) || !Ceiling.contains(Range.Hi))
    return Refused("bounds " + textOf(Range) + " are not within " +
                   textOf(Ceiling) +
                   "; narrow them, or widen those of the graph's Var");
  if (Range.Lo > Range.Hi)
    return Refused("bounds " + textOf(Range) +
                   "; give a lower bound that is not above the upper one");
  if (Range.Lo == 0 && Range.Hi == 0)
    return Refused("fixed at 0; give it a size");
  return Range;
}
