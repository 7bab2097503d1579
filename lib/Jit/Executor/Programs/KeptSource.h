//===- KeptSource.h - a text where debuggers look for it --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is compiled with debug information from memory is written beside the
// cache's entries, and its lines are said to be of that file: gdb and perf then
// show them. The name is part of the key, as it is in the object.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_PROGRAMS_KEPTSOURCE_H
#define KPACK_JIT_EXECUTOR_PROGRAMS_KEPTSOURCE_H

#include "Jit/Service/Compile.h"

namespace kpack::jit {

/// Puts the text of \p Request below \p Directory, a cache's, and says so in
/// its Source. Does nothing without debug information, where nothing is kept,
/// and where it cannot be written: then messages and debuggers have the name.
void keepSource(CompileRequest &Request, const std::string &Directory);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_KEPTSOURCE_H
