//===- instances.h - explicit instantiations, found by name -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blobs instantiate explicitly, through a macro of a header; the dispatcher has
// a map of their addresses, and a heuristic for what is not in it. Another
// source, which is compiled as usual, calls members that blobs instantiate.
//
//===----------------------------------------------------------------------===//
#ifndef SHAPES_INSTANCES_H
#define SHAPES_INSTANCES_H

#include "shapes.h"

namespace shapes {

template <typename T, int Factor, bool Plus>
int multiply(const stream_config &S, T *&Values, int Count,
             const char *Note = "");

template <int Factor> struct filler {
  filler();
  ~filler();
  int fill(const stream_config &S, data D) const;
  int Made;
};
// It is known here, and instantiated elsewhere.
template <int Factor> int doubled(const stream_config &S, data D);

using kernel = int (*)(const stream_config &, float *&, int, const char *);
kernel find(const std::string &Name);

} // namespace shapes

#endif // SHAPES_INSTANCES_H
