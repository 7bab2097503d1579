//===- Thunk.h - the C API that this library replaces -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libhsakmt is ROCr's interface to the kernel driver ("thunk"). Its functions
// are defined here with default visibility and exported by softgpu_kmt.map
// under their version; everything else in the library is hidden.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KMT_THUNK_H
#define KPACK_LIB_SOFTGPU_KMT_THUNK_H

#pragma GCC visibility push(default)
#include <hsakmt.h>
#pragma GCC visibility pop

#endif // KPACK_LIB_SOFTGPU_KMT_THUNK_H
