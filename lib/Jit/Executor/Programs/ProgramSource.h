//===- ProgramSource.h - compile requests of program texts ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes a program to be compiled from text, and makes its compile request:
// compiler, processor or GPU, and flags. Only flags that affect code generation
// are accepted; this file sets those for inputs, outputs and compile modes.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAMSOURCE_H
#define KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAMSOURCE_H

#include "Jit/Executor/Programs/SourceUnit.h"

namespace kpack::jit {

struct ProgramSource {
  std::string Name; ///< for messages; empty: "source.cpp" or "source.hip"
  std::string Text;
  std::vector<MemoryFile> Headers;
  std::vector<UnitConstant> Constants;
  std::vector<UnitEntry> Entries;
  std::vector<UnitType> Types;
  UnitKind Kind = UnitKind::Host;
  /// Host: a processor for -march=; empty: this machine's. Kernel: a target id;
  /// empty: that of the current device.
  std::string Target;
  /// A path or a name; empty: see findCompiler().
  std::string Compiler;
  /// Follow "-O3 -std=c++20" and may override them. Folders must be absolute.
  std::vector<std::string> Flags;
};

/// Checks KPACK_JIT_TARGET, the default target of sources without one:
/// "x86-64-v3", "gfx90a" or both, with a comma. Errors: InvalidArgument.
Status checkTargets();

/// Makes the compile request of \p Source. Kernels that do not include HIP's
/// header get its keywords and indices (DevicePrelude.cpp). Errors:
/// InvalidArgument for a refused flag, an invalid target, and those of
/// makeUnit(); FileNotFound without a compiler.
Result<CompileRequest> makeRequest(const ProgramSource &Source);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAMSOURCE_H
