//===- ProcessSettings.h - the environment of a process's cache -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the variables KPACK_JIT_... say of the cache that executors share in a
// process (kpack_jit_process_cache). A value that means nothing is an error
// that names variable and values: a program whose cache is not what its user
// asked for would be slow without anybody's knowing why.
// docs/reference/environment.md lists them; those of ComposableKernel's
// libraries are in CkJit/Runtime/Settings.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CAPI_PROCESSSETTINGS_H
#define KPACK_JIT_EXECUTOR_CAPI_PROCESSSETTINGS_H

#include "Jit/Executor/Cache/Dumps.h"

#include "Jit/Executor/Cache/Cache.h"

namespace kpack::jit {

struct ProcessSettings {
  /// Directory, limits, mode and system directories are filled in.
  CacheOptions Cache;
  uint64_t Programs = 4096; ///< that stay loaded
  bool Verbose = false;
  bool DryRun = false;
  CompileLimits Limits;
  DumpOptions Dumps;
  std::string Recording; ///< a file; empty: none

  /// A program with more rights than its user reads none, and compiles
  /// nothing. Errors: InvalidArgument.
  static Result<ProcessSettings> fromEnvironment();
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CAPI_PROCESSSETTINGS_H
