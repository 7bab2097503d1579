//===- Jit/Helper/CompileHelper.h - the process that compiles ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole of kpack-jit-compile but its main(). See Compile.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_HELPER_COMPILEHELPER_H
#define KPACK_JIT_HELPER_COMPILEHELPER_H

namespace kpack::jit {

/// The readable form of a mangled name in memory of malloc(), or null.
using Demangler = char *(*)(const char *Mangled);

/// Reads a request from standard input to its end, does what it says, writes
/// the reply to standard output. Ends early, with everything it started, on
/// SIGINT, SIGTERM, SIGHUP and SIGQUIT, and when nobody reads the reply any
/// more. Returns the exit code. \p Demangle should know the types of the
/// compilers that are run: what it does not know is compiled less fast.
int compileHelperMain(Demangler Demangle);

/// The same for many requests, each of which is answered in a process of its
/// own; they come through the socket that is standard input
/// (Jit/Service/ServerProcess.h). \p Module is the path of the compilers
/// (MappedCompilers.h). Ends with the program that has the other end, and when
/// nothing is asked for half a minute.
int compileServerMain(Demangler Demangle, const char *Module);

} // namespace kpack::jit

#endif // KPACK_JIT_HELPER_COMPILEHELPER_H
