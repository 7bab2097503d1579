//===- Tool/Tool.h - the kpack program as a function ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of `kpack` except main(): parses the command line, runs a subcommand and
// returns its exit code. The program is tools/kpack/kpack.cpp, the guide is
// docs/reference/kpack.md. A subcommand is a file of lib/Tool/Commands, or a
// folder beside it, and a line in the table of lib/Tool/Tool.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_TOOL_H
#define KPACK_TOOL_TOOL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::tool {

/// Runs `kpack` with \p Args (without the program's name). Results go to
/// \p Out, messages to \p Err. Returns 0, or 1 on any error.
int runKpack(llvm::ArrayRef<const char *> Args, llvm::raw_ostream &Out,
             llvm::raw_ostream &Err);

} // namespace kpack::tool

#endif // KPACK_TOOL_TOOL_H
