// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hip_runtime.h beside this.
#ifndef CKJIT_STUB_HIP_FP16_H
#define CKJIT_STUB_HIP_FP16_H
#include <hip/hip_runtime.h>
struct __half {
  unsigned short x;
};
struct __half2 {
  __half x, y;
};
typedef __half half;
typedef __half2 half2;
#endif // CKJIT_STUB_HIP_FP16_H
