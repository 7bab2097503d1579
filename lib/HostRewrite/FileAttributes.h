//===- FileAttributes.h - owner, mode and times of a file -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies owner, permissions, extended attributes (which include capabilities
// and ACLs) and times from a converted file to its output.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_FILEATTRIBUTES_H
#define KPACK_LIB_HOSTREWRITE_FILEATTRIBUTES_H

namespace kpack::hostrewrite {

/// Copies owner, permissions, extended attributes and times of the file or
/// folder \p Source to \p Target, as far as the user's rights and the file
/// systems allow. If the owner cannot be set, \p Target gets neither set-id
/// bits nor capabilities; if the group cannot, its rights are limited to
/// others' rights. Call this after the last write, which would change the time
/// and drop the capabilities.
///
/// Takes descriptors, because the owner of either folder could replace the file
/// by a link meanwhile.
void copyAttributes(int Source, int Target);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_FILEATTRIBUTES_H
