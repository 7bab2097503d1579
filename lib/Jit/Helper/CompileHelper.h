//===- Helper/CompileHelper.h - the program kpack-jit-compile ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of kpack-jit-compile except its main(). See Compile.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_HELPER_COMPILEHELPER_H
#define KPACK_JIT_HELPER_COMPILEHELPER_H

namespace kpack::jit {

/// Returns the readable form of a mangled name in malloc() memory, or null.
using Demangler = char *(*)(const char *Mangled);

/// Reads a request from standard input to its end, runs it and writes the reply
/// to standard output. Ends early, with all processes that it started, on
/// SIGINT, SIGTERM, SIGHUP and SIGQUIT, and when the reader closes the reply.
/// Returns the exit code. \p Demangle should know the types of the compilers
/// that run: sources with other types compile more slowly.
int compileHelperMain(Demangler Demangle);

/// Serves many requests, each in a separate process; they come through the
/// socket that is standard input (Jit/Service/ServerProcess.h). \p Module is
/// the path of the compilers (MappedCompilers.h). Ends with the program at the
/// other end, and after half a minute without requests.
int compileServerMain(Demangler Demangle, const char *Module);

} // namespace kpack::jit

#endif // KPACK_JIT_HELPER_COMPILEHELPER_H
