//===- CheckCodeObject.h - validity checks of code objects ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requirements on a code object that is loaded for a target. `kpack verify`
// checks the entries of archives, and convert the code that it adds to them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_CHECKCODEOBJECT_H
#define KPACK_OFFLOAD_CHECKCODEOBJECT_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack::offload {

/// Returns the problems of \p Bytes as code for target id \p Target; empty if
/// there are none.
std::vector<std::string> codeObjectProblems(llvm::StringRef Bytes,
                                            llvm::StringRef Target);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_CHECKCODEOBJECT_H
