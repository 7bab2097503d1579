//===- Kfd/Configuration.h - settings of the emulated driver ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read from the environment variables in docs/reference/kpack-run.md: by the
// driver, and by kpack-run, which refuses invalid values before a program
// starts.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KFD_CONFIGURATION_H
#define KPACK_SOFTGPU_KFD_CONFIGURATION_H

#include "SoftGpu/Kfd/Processors.h"
#include "SoftGpu/Machine/Machine.h"

namespace kpack::softgpu {

struct Configuration {
  std::vector<const GpuProcessor *> Gpus; ///< at least one
  bool Stats = false; ///< print a line to stderr for each dispatch
  MachineOptions Machine;
  /// Path of a page shared with kpack-run that counts faults; empty if none.
  std::string StatusPath;

  /// Fails if the value of a variable is invalid.
  static llvm::Expected<Configuration> fromEnvironment();
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_CONFIGURATION_H
