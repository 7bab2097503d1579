//===- shapes.h - what the shapes of dispatchers share ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel, x * Factor + Offset, in the shapes that generated libraries have:
// instances.h, inline.h, registry.h and table.h declare one shape each,
// generate.py writes its dispatcher and its blobs, main.cpp uses it.
//
//===----------------------------------------------------------------------===//
#ifndef SHAPES_SHAPES_H
#define SHAPES_SHAPES_H

#include "minick.h"

namespace shapes {

using minick::stream_config;

struct data {
  float *Values;
  int Count;
};

#ifdef __HIP__
template <int Factor, int Offset> struct scale_kernel {
  static dim3 grid(const data &) { return dim3(1); }
  __device__ static void run(data D) {
    int I = __builtin_amdgcn_workitem_id_x();
    if (I < D.Count)
      D.Values[I] = D.Values[I] * Factor + Offset;
  }
};

template <int Factor, int Offset>
int scale(const stream_config &S, const data &D) {
  return minick::launch_kernel(
             S, minick::make_kernel<scale_kernel<Factor, Offset>>(D)) == 0
             ? Factor * 1000 + Offset
             : -1;
}
#endif

} // namespace shapes

#endif // SHAPES_SHAPES_H
