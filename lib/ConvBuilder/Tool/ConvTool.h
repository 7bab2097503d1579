//===- Tool/ConvTool.h - entry point of conv-builder ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program `conv-builder` except for main(): docs/reference/conv-builder.md.
// A verb is a file of lib/ConvBuilder/Tool and a line in Tool.cpp there.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_TOOL_CONVTOOL_H
#define KPACK_CONVBUILDER_TOOL_CONVTOOL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::conv {

/// Runs `conv-builder` with \p Arguments (without the program's name). Writes
/// results to \p Out and messages to \p Err. Returns the exit status.
int runConvBuilder(llvm::ArrayRef<const char *> Arguments,
                   llvm::raw_ostream &Out, llvm::raw_ostream &Err);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_TOOL_CONVTOOL_H
