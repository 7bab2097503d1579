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

/// Gives the file or folder behind \p To what the one behind \p From has, as
/// far as the user may and file systems can. Without the owner, \p To gets
/// neither set-id bits nor capabilities; without the group, the group may do
/// what everybody may. To be called when \p To has all its bytes: a write would
/// change its time and take its capabilities.
///
/// Descriptors, not names: who owns the folder of either could replace the file
/// by a link to another one meanwhile.
void copyAttributes(int From, int To);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_FILEATTRIBUTES_H
