//===- KeptSource.h - source files kept for debuggers -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text in memory that is compiled with debug information is written beside
// the cache's entries, and its lines refer to that file, so that gdb and perf
// show them. The name is in the object and therefore part of the key.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_PROGRAMS_KEPTSOURCE_H
#define KPACK_JIT_EXECUTOR_PROGRAMS_KEPTSOURCE_H

#include "Jit/Service/Compile.h"

namespace kpack::jit {

/// Writes the text of \p Request below \p Directory, a cache's, and sets its
/// Source to that file. Does nothing without debug information, without a
/// directory, or if the write fails: messages and debuggers then show the name.
void keepSource(CompileRequest &Request, const std::string &Directory);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_KEPTSOURCE_H
