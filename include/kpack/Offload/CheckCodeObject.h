//===- kpack/Offload/CheckCodeObject.h - is device code right? --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a code object has to be to be loaded for a target. `kpack verify` asks
// it of the entries of archives, and convert of what it puts there.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_CHECKCODEOBJECT_H
#define KPACK_OFFLOAD_CHECKCODEOBJECT_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack::offload {

/// What is wrong with \p Bytes as code for target id \p Target, and no more.
/// Empty: nothing found.
std::vector<std::string> codeObjectProblems(llvm::StringRef Bytes,
                                            llvm::StringRef Target);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_CHECKCODEOBJECT_H
