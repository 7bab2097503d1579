//===- WrongFile.h - errors that name the right command ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Archives, programs and code objects are often in one folder, and each command
// takes only some of them. For a file of the wrong kind the error names its
// kind and the right command. Other, damaged and missing files pass: the next
// reader has a better message.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_WRONGFILE_H
#define KPACK_LIB_TOOL_WRONGFILE_H

#include "llvm/Support/Error.h"

#include <string>

namespace kpack::tool {

/// Fails if the file at \p Path is a binary, device code or a reference, for
/// commands that take archives.
llvm::Error refuseNoArchive(const std::string &Path);

/// The use of a program or library by a command.
enum class BinaryUse { Tell, FindArchives, Convert, Unpack };

/// Fails if the file at \p Path is an archive, or bare device code, and \p Use
/// does not allow it. FindArchives takes archives as well.
llvm::Error refuseNoBinary(const std::string &Path, BinaryUse Use);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_WRONGFILE_H
