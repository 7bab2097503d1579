//===- Programs/ProgramSource.h - a text and what it is for -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a front door has of a program that is to be compiled from text, and how
// that becomes a compile: the compiler that is found, the processor or GPU, and
// flags. Of flags only those are taken that change how code is made; what
// decides about outputs, inputs and the way of compiling is decided here.
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
  /// Host: a processor as -march= has it; empty: this machine's. Kernel: a
  /// target id; empty: that of the current device.
  std::string Target;
  /// A path or a name; empty: see findCompiler().
  std::string Compiler;
  /// After "-O3 -std=c++20", which they may replace. Folders are absolute.
  std::vector<std::string> Flags;
};

/// Whether KPACK_JIT_TARGET can be understood: what sources have that name no
/// target, "x86-64-v3", "gfx90a" or both, with a comma. Errors:
/// InvalidArgument.
Status checkTargets();

/// The compile of \p From. Kernels that do not include HIP's header get its
/// keywords and indices (DevicePrelude.cpp). Errors: InvalidArgument, a flag
/// that cannot be given, a target that is none, those of makeUnit();
/// FileNotFound, no compiler.
Result<CompileRequest> requestOf(const ProgramSource &From);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAMSOURCE_H
