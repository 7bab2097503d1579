//===- FileAttributes.h - what a file is besides its bytes ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owner, permissions, extended attributes (capabilities and ACLs are such) and
// times go from the file that is converted to the one that is written.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_FILEATTRIBUTES_H
#define KPACK_LIB_HOSTREWRITE_FILEATTRIBUTES_H

#include <string>

namespace kpack::hostrewrite {

/// Gives \p To what \p From has, as far as the user may and file systems can.
/// Without the owner, \p To gets no set-id bits. To be called when \p To has
/// all its bytes: a write would change its time and take its capabilities.
void copyAttributes(const std::string &From, const std::string &To);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_FILEATTRIBUTES_H
