//===- LocalUser.h - library with a private HIP runtime ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shared library of LocalUser.cpp is linked with kpackGpuRuntime and with
// FewFunctions.cpp's library. Opened with RTLD_LOCAL, it sees runtimes that the
// program does not see.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_GPURUNTIME_LOCALUSER_H
#define KPACK_UNITTESTS_GPURUNTIME_LOCALUSER_H

#include "GpuRuntime/GpuRuntime.h"

/// The library's function "localFindings".
struct LocalFindings {
  bool HasHip = false, HasCuda = false;
  bool KeepsDlerror = false; ///< names looked up in vain leave no message
  int HipDevice = -1;        ///< the current one; -1: no function for it
  int CudaInit = -1;         ///< what cuInit() returns; -1: there is none
  int TargetCode = -1;       ///< what HIP's target() returns
  bool HasTarget = true;
  kpack::AddressFacts Facts; ///< of HIP
  bool IsExposed = true;
};
using LocalFindingsFunction = void(LocalFindings &);

#endif // KPACK_UNITTESTS_GPURUNTIME_LOCALUSER_H
