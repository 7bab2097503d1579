//===- ConvBuilder/Backend.h - interface to a computing device --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, copies and launches of a device: the only interface between
// convolutions and devices. Its users (tests, tools, plans) do not know the
// device.
//
//   CPU           in this library, always available
//   HIP           in this library: the process's HIP runtime, or one by name
//   emulated GPU  SoftGpu/SoftGpuBackend.h, for tests and tools: it needs LLVM
//
// Memory functions and load() belong to one thread at a time. Any thread may
// launch loaded kernels, also while another thread loads.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_BACKEND_H
#define KPACK_CONVBUILDER_BACKEND_H

#include "kpack/ConvBuilder/Kernel.h"

#include <memory>

namespace kpack::conv {

/// A kernel that is loaded on a device. Must not outlive its Backend.
class LoadedKernel {
public:
  virtual ~LoadedKernel();
  /// Launches the kernel. A GPU's runtime has enqueued it on Launch.Stream when
  /// this returns; other backends have finished it. Errors: InvalidArgument,
  /// LaunchFailed.
  virtual Status launch(const KernelLaunch &Launch) = 0;
};

class Backend {
public:
  virtual ~Backend();

  /// The processor argument for ConvKernel::compile().
  virtual const std::string &processor() const = 0;

  /// Allocates device memory, aligned to 256 bytes. Errors: OutOfMemory.
  virtual Result<void *> allocate(size_t Bytes) = 0;
  /// Frees memory of allocate(). The backend's destructor frees the rest.
  virtual void release(void *Memory) = 0;
  virtual Status upload(void *Destination, const void *Source,
                        size_t Bytes) = 0;
  virtual Status download(void *Destination, const void *Source,
                          size_t Bytes) = 0;

  /// Loads \p Kernel, which is for processor() and must outlive the result.
  /// Errors: detail() LoadFailed or WrongIsa.
  virtual Result<std::unique_ptr<LoadedKernel>>
  load(const ConvKernel &Kernel) = 0;
};

/// Computes on the calling thread.
std::unique_ptr<Backend> makeCpuBackend();

/// Uses the calling thread's current HIP device. Tensors may be in any memory
/// that the device can access, not only in that of allocate(). Errors: detail()
/// NoDevice.
Result<std::unique_ptr<Backend>> makeHipBackend();

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_BACKEND_H
