//===- table.h - a table with a constant of each blob -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dispatcher answers questions about sizes from a static table whose rows
// are what specialisations of the blobs return, those for other architectures
// as well. Who asks wants no kernel.
//
//===----------------------------------------------------------------------===//
#ifndef SHAPES_TABLE_H
#define SHAPES_TABLE_H

#include "shapes.h"

namespace shapes {

template <int Head, bool Causal> struct trait {
  static constexpr int head = Head;
};
template <typename Trait> struct pipeline {
  static constexpr int align() {
    int Bits = 1;
    while (Bits < Trait::head)
      Bits *= 2;
    return Bits;
  }
  static constexpr int kAlign = align();
};
enum class layout : unsigned char { row, column };

template <typename Trait, typename Arch>
int run(const stream_config &S, data D);
template <typename Trait, typename Arch> int align();
template <typename Trait, typename Arch> double scale_of();
template <typename Trait, typename Arch> layout layout_of(const data &D);
template <typename Trait, typename Arch> size_t workspace(int Batch);

/// 0: not known.
int block_size(const std::string &Device, int Head);
double block_scale(int Head);
layout block_layout(int Head, const data &D);
size_t workspace_size(int Head, int Batch);
int dispatch(int Head, const stream_config &S, data D);

} // namespace shapes

#endif // SHAPES_TABLE_H
