//===- WrongFile.h - a file that is meant for another command ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Archives, programs and code objects lie side by side, and each command takes
// some of them. Whoever gives one the wrong kind is told what the file is and
// which command takes it. What is none of these kinds, is damaged or is not
// there passes: the reader that comes next knows what to say of it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_WRONGFILE_H
#define KPACK_LIB_TOOL_WRONGFILE_H

#include "llvm/Support/Error.h"

#include <string>

namespace kpack::tool {

/// An error where the file at \p Path is a binary, device code or a reference,
/// and archives are what is taken.
llvm::Error refuseNoArchive(const std::string &Path);

/// What a command does with a program or library.
enum class BinaryUse { Tell, FindArchives, Convert, Unpack };

/// An error where the file at \p Path is an archive, or device code that no
/// program is around, and cannot be used like that. What finds archives takes
/// archives as well.
llvm::Error refuseNoBinary(const std::string &Path, BinaryUse Use);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_WRONGFILE_H
