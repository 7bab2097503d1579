//===- Tools.h - clang and lld as functions ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang's driver library plans a command, and its jobs are done by the
// libraries of their programs. A process does one thing at a time: LLVM's
// options are global, and lld is not reentrant. A function that refuses a
// command prints and writes nothing; the command's program then runs.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVER_TOOLS_H
#define KPACK_LIB_JIT_SERVER_TOOLS_H

#include "MappedFiles.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace kpack::jit {

/// Global state that commands have changed in this process.
struct Traces {
  /// A plugin was loaded, or an LLVM option was set that is not reset: run no
  /// further command here.
  bool AreLasting = false;
};

/// Runs the driver: \p Args[0] is the path of a clang whose libraries are
/// mapped.
std::optional<int> runDriver(llvm::ArrayRef<const char *> Args,
                             MappedFiles &Files, Traces &Left);

/// Runs the front end, for `clang -cc1 ...`.
std::optional<int> runFrontEnd(llvm::ArrayRef<const char *> Args, Traces &Left);

/// Runs the assembler, for `clang -cc1as ...`.
std::optional<int> runAssembler(llvm::ArrayRef<const char *> Args);

/// Runs lld for ELF; \p Args[0] is its name.
int runLinker(llvm::ArrayRef<const char *> Args, Traces &Left);

/// Runs front end and linker once for each kind of code, in this process.
void warmUpTools();

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVER_TOOLS_H
