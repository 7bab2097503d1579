//===- Support/InstallLayout.h - where parts are ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs find libraries, and libraries find programs, by their own place, so
// that an installed tree can be moved. Only how the two folders lie to each
// other is fixed, when the build is configured (CMAKE_INSTALL_BINDIR and
// CMAKE_INSTALL_LIBDIR); the build tree has the same layout.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_INSTALLLAYOUT_H
#define KPACK_SUPPORT_INSTALLLAYOUT_H

namespace kpack {

/// From the folder of programs to that of libraries: "../lib", or for example
/// "../lib/x86_64-linux-gnu". Static storage.
const char *librariesFromPrograms();

/// And back: "../bin", or "../../bin". Static storage.
const char *programsFromLibraries();

} // namespace kpack

#endif // KPACK_SUPPORT_INSTALLLAYOUT_H
