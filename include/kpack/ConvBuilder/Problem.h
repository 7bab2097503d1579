//===- kpack/ConvBuilder/Problem.h - sizes of a convolution -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes of the tensors, which are known only when a convolution runs. A
// signature and an algorithm make a kernel; a problem is its argument.
//
// Lists of dimensions have the order of the image, D, H, W, and one entry for
// each spatial dimension of the signature. Strides, dilations and pads may be
// empty, which means 1, 1 and 0 in each dimension.
//
// The text form is that of other values (Text.h):
//   {batch=2,c=64,k=64,image=[56,56],filter=[3,3],pad=[{before=1,after=1},...]}
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_PROBLEM_H
#define KPACK_CONVBUILDER_PROBLEM_H

#include "kpack/ConvBuilder/Fields.h"

namespace kpack::conv {

/// Zeros before the first and after the last position of a dimension.
struct Pad {
  int before = 0;
  int after = 0;
  friend constexpr bool operator==(const Pad &, const Pad &) = default;
};

/// Distances of neighbours in elements, one for each letter of a layout's
/// order.
using Strides = List<long long, 6>;

struct Problem {
  int groups = 1;
  int batch = 1;
  int c = 0;
  int k = 0;
  List<int, 3> image{};
  List<int, 3> filter{};
  List<int, 3> stride{};
  List<int, 3> dilation{};
  List<Pad, 3> pad{};
  int k_batch = 0;
  Strides input_strides{};
  Strides weight_strides{};
  Strides output_strides{};
  List<Strides, MaxAuxiliaryOfCall> auxiliary_strides{};

  friend constexpr bool operator==(const Problem &, const Problem &) = default;
};

template <> struct FieldList<Pad> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass M = FieldClass::Meaning;
    E(&Pad::before, Field{"before", "zeros before the first position", M,
                          Unit::Positions, 0, 1 << 16});
    E(&Pad::after, Field{"after", "zeros after the last position", M,
                         Unit::Positions, 0, 1 << 16});
  }
};

template <> struct FieldList<Problem> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass M = FieldClass::Meaning;
    constexpr int Most = 1 << 30;
    E(&Problem::groups,
      Field{"groups", "independent convolutions", M, Unit::Groups, 0, Most});
    E(&Problem::batch, Field{"batch", "images", M, Unit::Elements, 0, Most});
    E(&Problem::c,
      Field{"c", "input channels of a group", M, Unit::Elements, 0, Most});
    E(&Problem::k,
      Field{"k", "output channels of a group", M, Unit::Elements, 0, Most});
    E(&Problem::image,
      Field{"image", "size of the input", M, Unit::Positions, 0, Most});
    E(&Problem::filter,
      Field{"filter", "size of the weight", M, Unit::Positions, 0, Most});
    E(&Problem::stride, Field{"stride", "step of the filter over the image", M,
                              Unit::Positions, 0, Most});
    E(&Problem::dilation,
      Field{"dilation", "distance between elements of the filter", M,
            Unit::Positions, 0, Most});
    E(&Problem::pad, Field{"pad", "zeros around the image", M});
    E(&Problem::k_batch,
      Field{"k_batch",
            "pieces of the sum, if the algorithm leaves the number open", M,
            Unit::Tiles, 0, 4096});
    E(&Problem::input_strides,
      Field{"input_strides",
            "strides of a strided layout, in the order of its letters", M,
            Unit::Elements});
    E(&Problem::weight_strides,
      Field{"weight_strides",
            "strides of a strided layout, in the order of its letters", M,
            Unit::Elements});
    E(&Problem::output_strides,
      Field{"output_strides",
            "strides of a strided layout, in the order of its letters", M,
            Unit::Elements});
    E(&Problem::auxiliary_strides,
      Field{
          "auxiliary_strides",
          "strides of auxiliary operands with strided layouts, [] for others; "
          "operands of the input first, then of the weight, then of the output",
          M, Unit::Elements});
  }
};

constexpr int strideOf(const Problem &P, unsigned Dim) {
  return P.stride.empty() ? 1 : P.stride[Dim];
}
constexpr int dilationOf(const Problem &P, unsigned Dim) {
  return P.dilation.empty() ? 1 : P.dilation[Dim];
}
constexpr Pad padOf(const Problem &P, unsigned Dim) {
  return P.pad.empty() ? Pad{} : P.pad[Dim];
}

/// Returns the positions of the output in dimension \p Dim; below 1 if the
/// filter exceeds the image, or a size or stride is invalid.
constexpr long long outputSize(const Problem &P, unsigned Dim) {
  long long Stride = strideOf(P, Dim);
  if (Stride < 1)
    return 0;
  Pad Around = padOf(P, Dim);
  long long Reach =
      static_cast<long long>(dilationOf(P, Dim)) * (P.filter[Dim] - 1) + 1;
  long long Room = static_cast<long long>(P.image[Dim]) + Around.before +
                   Around.after - Reach;
  return Room < 0 ? 0 : Room / Stride + 1;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_PROBLEM_H
