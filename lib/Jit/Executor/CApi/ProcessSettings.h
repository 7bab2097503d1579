//===- ProcessSettings.h - KPACK_JIT_ variables of a process ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Settings from the variables KPACK_JIT_... for the cache that executors share
// in a process (kpack_jit_process_cache). A value that cannot be parsed is an
// error that names variable and accepted values: otherwise a program would be
// slow for no visible reason. docs/reference/environment.md lists the
// variables; CkJit/Runtime/Settings.h has those of ComposableKernel's
// libraries.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CAPI_PROCESSSETTINGS_H
#define KPACK_JIT_EXECUTOR_CAPI_PROCESSSETTINGS_H

#include "Jit/Executor/Cache/Dumps.h"

#include "Jit/Executor/Cache/Cache.h"

namespace kpack::jit {

struct ProcessSettings {
  /// Has directory, limits, mode and system directories.
  CacheOptions Cache;
  uint64_t Programs = 4096; ///< limit of loaded programs
  bool Verbose = false;
  bool DryRun = false;
  CompileLimits Limits;
  DumpOptions Dumps;
  std::string Recording; ///< a file, or empty

  /// A program with more rights than its user reads no variables and compiles
  /// nothing. Errors: InvalidArgument.
  static Result<ProcessSettings> fromEnvironment();
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CAPI_PROCESSSETTINGS_H
