//===- Tools.h - what the mapped compilers are made of ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command of the driver is taken apart by clang's own driver library, and its
// jobs are done by the libraries that their programs are made of. A process
// does one thing at a time: options of LLVM are global, and lld is not
// reentrant. What a function refuses, with nothing said and nothing written,
// its program does.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVER_TOOLS_H
#define KPACK_LIB_JIT_SERVER_TOOLS_H

#include "MappedFiles.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace kpack::jit {

/// What is left of what this process has done.
struct Traces {
  /// A plugin has been loaded, or an option of LLVM's own was set that nothing
  /// sets back: no other command is to be done here.
  bool AreLasting = false;
};

/// The driver: \p Args[0] is the path of a clang whose libraries are mapped.
std::optional<int> runDriver(llvm::ArrayRef<const char *> Args,
                             MappedFiles &Files, Traces &Left);

/// The front end, for `clang -cc1 ...`.
std::optional<int> runFrontEnd(llvm::ArrayRef<const char *> Args, Traces &Left);

/// The assembler, for `clang -cc1as ...`.
std::optional<int> runAssembler(llvm::ArrayRef<const char *> Args);

/// lld for ELF; \p Args[0] says its name.
int runLinker(llvm::ArrayRef<const char *> Args, Traces &Left);

/// Front end and linker once for each kind of code, in this process.
void warmUpTools();

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVER_TOOLS_H
