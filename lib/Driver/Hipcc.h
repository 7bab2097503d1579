//===- Hipcc.h - hipcc command lines as clang's -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under the name hipcc the driver behaves like ROCm's hipcc, whose options and
// variables differ from clang's. This file contains all of the difference: it
// translates a hipcc command to the equivalent clang command, and no other file
// checks the name. docs/reference/hipcc.md has the table.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_HIPCC_H
#define KPACK_LIB_DRIVER_HIPCC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack::driver {

struct HipccCommand {
  /// For clang, without the program's name.
  std::vector<std::string> Arguments;
  /// HIP_CLANG_LAUNCHER: a program that runs clang, or empty.
  std::string Launcher;
  /// True if the command was a query and its answer is printed.
  bool Answered = false;
};

/// True if \p Argv0 is a name of hipcc.
bool isHipcc(llvm::StringRef Argv0);

/// Translates the hipcc command \p Arguments. Prints the output that
/// HIPCC_VERBOSE requests, and answers queries for hipcc's data.
llvm::Expected<HipccCommand>
translateHipcc(llvm::ArrayRef<const char *> Arguments);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_HIPCC_H
