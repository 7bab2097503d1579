//===- SoftGpu/Kfd/Configuration.h - what kpack-run asks for ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read once from environment variables, which docs/reference/kpack-run.md
// lists: by the driver, and by kpack-run, which refuses what means nothing
// before a program starts.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KFD_CONFIGURATION_H
#define KPACK_SOFTGPU_KFD_CONFIGURATION_H

#include "SoftGpu/Kfd/Processors.h"
#include "SoftGpu/Machine/Machine.h"

namespace kpack::softgpu {

struct Configuration {
  std::vector<const GpuProcessor *> Gpus; ///< at least one
  bool Stats = false; ///< a line to stderr for each dispatch
  MachineOptions Machine;
  /// A page that kpack-run shares with us to learn of faults; empty: none.
  std::string StatusPath;

  /// Errors: a variable whose value means nothing.
  static llvm::Expected<Configuration> fromEnvironment();
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_CONFIGURATION_H
