//===- InstallLayout.h - relative paths of installed parts ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs and libraries find each other relative to their own place, so that
// an installed tree can be moved. Only the relative paths between the two
// folders are fixed when the build is configured (CMAKE_INSTALL_BINDIR and
// CMAKE_INSTALL_LIBDIR); the build tree has the same layout.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_INSTALLLAYOUT_H
#define KPACK_SUPPORT_INSTALLLAYOUT_H

namespace kpack {

/// Path from the folder of programs to that of libraries: "../lib", or for
/// example "../lib/x86_64-linux-gnu". Static storage.
const char *librariesFromPrograms();

/// The inverse: "../bin", or "../../bin". Static storage.
const char *programsFromLibraries();

} // namespace kpack

#endif // KPACK_SUPPORT_INSTALLLAYOUT_H
