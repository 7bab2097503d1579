//===- HipFunctions.h - the HIP runtime of this process ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a graph needs of HIP besides loading kernels, which libkpack_jit does:
// memory, a stream, launches, and graphs whose nodes are added one by one.
// Never a capture: HIP 5.2 captures no hipModuleLaunchKernel, runs it at once
// and says nothing. Declared by hand; the same from HIP 5 to HIP 7.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_HIPFUNCTIONS_H
#define KPACK_LIB_JITGRAPH_HIPFUNCTIONS_H

#include "kpack/Support/Status.h"

#include <cstddef>

namespace kpack::jit {

struct HipKernelNode {
  uint32_t Block[3];
  void **Extra;
  void *Function;
  uint32_t Grid[3];
  void **Arguments;
  uint32_t DynamicShared;
};

struct HipFunctions {
  int (*GetDevice)(int *);
  int (*SetDevice)(int);
  int (*Malloc)(void **, size_t);
  int (*Free)(void *);
  int (*HostMalloc)(void **, size_t, unsigned);
  int (*HostFree)(void *);
  int (*Memset)(void *, int, size_t);
  int (*Memcpy)(void *, const void *, size_t, int);
  int (*MemcpyAsync)(void *, const void *, size_t, int, void *);
  int (*PointerGetAttributes)(void *, const void *);
  int (*GetLastError)();
  int (*StreamCreate)(void **);
  int (*StreamDestroy)(void *);
  int (*StreamSynchronize)(void *);
  int (*StreamWaitEvent)(void *, void *, unsigned);
  int (*EventCreate)(void **, unsigned);
  int (*EventDestroy)(void *);
  int (*EventRecord)(void *, void *);
  int (*EventQuery)(void *);
  int (*EventSynchronize)(void *);
  int (*LaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, unsigned, void *, void **, void **);
  int (*GraphCreate)(void **, unsigned);
  int (*GraphDestroy)(void *);
  int (*GraphAddKernelNode)(void **, void *, void *const *, size_t,
                            const HipKernelNode *);
  int (*GraphInstantiate)(void **, void *, void **, char *, size_t);
  int (*GraphExecDestroy)(void *);
  int (*GraphExecKernelNodeSetParams)(void *, void *, const HipKernelNode *);
  int (*GraphLaunch)(void *, void *);
  const char *(*GetErrorName)(int);

  static constexpr int HostToDevice = 1, DeviceToHost = 2;
  static constexpr unsigned NoTiming = 2; ///< of events
  static constexpr int NotReady = 600;    ///< no error

  /// Errors: Device, there is no HIP runtime in this process, and none can be
  /// loaded.
  static Result<HipFunctions> find();

  /// Success, or Device: "<What>: hipErrorOutOfMemory".
  Status check(int Code, const char *What) const;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_HIPFUNCTIONS_H
