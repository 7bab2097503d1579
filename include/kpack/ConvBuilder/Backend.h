//===- kpack/ConvBuilder/Backend.h - where kernels run ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, copies and launches of whatever computes: the one seam between
// convolutions and devices. What stands above it, tests, tools, plans, does not
// know which device that is.
//
//   CPU           here, always
//   HIP           here: the runtime that the process has, or one by name
//   emulated GPU  SoftGpu/SoftGpuBackend.h, for tests and tools: it needs LLVM
//
// Memory and load(): one thread at a time. Kernels that are loaded are launched
// by any thread, also while others are loaded.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_BACKEND_H
#define KPACK_CONVBUILDER_BACKEND_H

#include "kpack/ConvBuilder/Kernel.h"

#include <memory>

namespace kpack::conv {

/// A kernel that a device has. Does not outlive its Backend.
class LoadedKernel {
public:
  virtual ~LoadedKernel();
  /// A GPU's runtime has it in Launch.Stream when this returns; all others have
  /// done. Errors: InvalidArgument, LaunchFailed.
  virtual Status launch(const KernelLaunch &Launch) = 0;
};

class Backend {
public:
  virtual ~Backend();

  /// For ConvKernel::compile().
  virtual const std::string &processor() const = 0;

  /// Memory of the device, aligned to 256 bytes. Errors: OutOfMemory.
  virtual Result<void *> allocate(size_t Bytes) = 0;
  /// Of allocate(); what is left is released with the backend.
  virtual void release(void *Memory) = 0;
  virtual Status upload(void *To, const void *From, size_t Bytes) = 0;
  virtual Status download(void *To, const void *From, size_t Bytes) = 0;

  /// \p Kernel is for processor(), and lives as long as what is returned.
  /// Errors: detail() LoadFailed or WrongIsa.
  virtual Result<std::unique_ptr<LoadedKernel>>
  load(const ConvKernel &Kernel) = 0;
};

/// The calling thread.
std::unique_ptr<Backend> makeCpuBackend();

/// The calling thread's current device of HIP. Tensors need not be allocated
/// here: any memory that the device can reach will do. Errors: detail()
/// NoDevice.
Result<std::unique_ptr<Backend>> makeHipBackend();

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_BACKEND_H
