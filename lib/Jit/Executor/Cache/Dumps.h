//===- Cache/Dumps.h - dumps of compiled programs ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the files that KPACK_JIT_KEEP selects for each program that a process
// uses, in a separate folder below KPACK_JIT_DUMP_DIR: the source as the
// compiler sees it, the command, LLVM IR, assembly, the object. For a cached
// program, the parts that its entry lacks are compiled for this alone.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_DUMPS_H
#define KPACK_JIT_EXECUTOR_CACHE_DUMPS_H

#include "Jit/Executor/Cache/SourceCache.h"

namespace kpack::jit {

struct DumpOptions {
  bool Source = false, Command = false, Ir = false, Assembly = false,
       Object = false;
  std::string Folder;

  bool isOn() const { return Source || Command || Ir || Assembly || Object; }
};

/// Errors: those of CompileService::show(); IoError if the folder cannot be
/// written.
Status dump(const DumpOptions &Options, const CompileService &Service,
            const CompileRequest &Request, const StoredEntry &Entry);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_DUMPS_H
