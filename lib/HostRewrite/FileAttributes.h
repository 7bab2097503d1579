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

namespace kpack::hostrewrite {

/// Copies owner, permissions, extended attributes and times of the file or
/// folder
/// \p From to \p To, as far as the user may and file systems can. Without the
/// owner, \p To gets neither set-id bits nor capabilities; without the group,
/// the group may do what everybody may. To be called when \p To has all its
/// bytes: a write would change its time and take its capabilities.
///
/// Takes descriptors, since the owner of either folder could replace the file
/// by a link meanwhile.
void copyAttributes(int From, int To);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_FILEATTRIBUTES_H
