//===- Layouts.h - dimension order of tensor layouts ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the name of a layout into its tensor, its number of spatial
// dimensions, and the order of its dimensions. The name is the only source, so
// no table can contradict it.
//
//   factsOf(TensorLayout::NHWGC)   {Input, 2, "NHWGC", false}
//   factsOf(G_K_YX_C_strided)      {Weight, 2, "GKYXC", true}
//
// Order has the letters, slowest dimension first. With Strided it only gives
// the order of letters, and strides are arguments of each call.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_LAYOUTS_H
#define KPACK_CONVBUILDER_LAYOUTS_H

#include "kpack/ConvBuilder/Enums.h"

namespace kpack::conv {

/// The tensor of a layout. None for UNDEFINED_TENSOR_LAYOUT.
enum class Role : unsigned char { None, Input, Weight, Output, Bias };

struct LayoutFacts {
  Role Of = Role::None;
  int SpatialDim = 0; ///< 1 to 3; 0 for a bias, which fits all
  char Letters[8] = {};
  unsigned Count = 0; ///< of Letters
  bool Strided = false;

  constexpr std::string_view order() const {
    // The exact types of the constructor: otherwise compilers check whether the
    // arguments are iterators, which takes 50 ms.
    return {Letters, static_cast<std::size_t>(Count)};
  }
  constexpr bool has(char Letter) const {
    return order().find(Letter) != std::string_view::npos;
  }
};

namespace detail {

/// Parses in one pass, because every compile of this header runs it.
constexpr LayoutFacts readLayout(std::string_view Name) {
  LayoutFacts Facts;
  bool HasC = false, HasK = false, HasN = false;
  for (char Letter : Name) {
    if (Letter == '_')
      continue;
    if (Letter >= 'a') { // "_strided"
      Facts.Strided = true;
      break;
    }
    Facts.Letters[Facts.Count++] = Letter;
    HasC |= Letter == 'C';
    HasK |= Letter == 'K';
    HasN |= Letter == 'N';
  }
  Facts.Of = HasC && HasN   ? Role::Input
             : HasC && HasK ? Role::Weight
             : HasN && HasK ? Role::Output
                            : Role::Bias;
  // The other letters are G and two of N, C and K.
  if (Facts.Of != Role::Bias)
    Facts.SpatialDim = static_cast<int>(Facts.Count) - 3;
  return Facts;
}

template <typename Layout> struct LayoutFactTable {
  LayoutFacts Rows[EnumCount<Layout>];
  constexpr LayoutFactTable() {
    for (std::size_t I = 1; I < EnumCount<Layout>; ++I)
      Rows[I] = readLayout(EnumTable<Layout>::Rows[I].Name);
  }
};

/// A template, so that it is only computed where it is used.
template <typename Layout>
inline constexpr LayoutFactTable<Layout> LayoutFactsOfAll{};

} // namespace detail

/// Returns the facts of any enumerator; empty for UNDEFINED_TENSOR_LAYOUT.
template <typename Layout>
  requires std::is_same_v<Layout, TensorLayout>
constexpr const LayoutFacts &factsOf(Layout Value) {
  return detail::LayoutFactsOfAll<Layout>.Rows[static_cast<unsigned>(Value)];
}

/// "input", "weight", "output" or "bias".
constexpr std::string_view nameOf(Role TensorRole) {
  constexpr std::string_view Names[] = {"none", "input", "weight", "output",
                                        "bias"};
  return Names[static_cast<unsigned>(TensorRole)];
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_LAYOUTS_H
