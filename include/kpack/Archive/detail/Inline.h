//===- detail/Inline.h - choice of inline or linked functions ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defined KPACK_ARCHIVE_LIBRARY, which the CMake target kpackArchive sets for
// its users, means that libkpackArchive.a has the bodies of the headers in
// kpack/Archive. Without it the headers contain them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_INLINE_H
#define KPACK_ARCHIVE_DETAIL_INLINE_H

#ifdef KPACK_ARCHIVE_LIBRARY
#define KPACK_ARCHIVE_INLINE
#else
#define KPACK_ARCHIVE_INLINE inline
#endif

#endif // KPACK_ARCHIVE_DETAIL_INLINE_H
