//===- Hipcc.h - the name hipcc ---------------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under the name hipcc the driver behaves as ROCm's hipcc does, whose options
// and variables are not clang's. All of the difference is here: a hipcc command
// becomes the clang command that it stands for, and nothing else asks for the
// name. docs/reference/hipcc.md has it as a table.
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
  /// HIP_CLANG_LAUNCHER: a program that runs the clang; empty: none.
  std::string Launcher;
  /// The command was a question, and is answered.
  bool Answered = false;
};

/// True if a program called \p Argv0 is asked for as hipcc.
bool isHipcc(llvm::StringRef Argv0);

/// What the hipcc command \p Arguments stands for. Prints what HIPCC_VERBOSE
/// asks for, and answers questions for hipcc's own data.
llvm::Expected<HipccCommand>
translateHipcc(llvm::ArrayRef<const char *> Arguments);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_HIPCC_H
