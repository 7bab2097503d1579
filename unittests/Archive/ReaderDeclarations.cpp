//===- ReaderDeclarations.cpp - compile of the reader's declarations ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Users of the target kpackArchive parse declarations, and neither zstd.h nor
// xxhash.h. That this compiles is the test.
//
//===----------------------------------------------------------------------===//
#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/detail/ContentHash.h"

#ifndef KPACK_ARCHIVE_LIBRARY
#error "kpackArchive must define KPACK_ARCHIVE_LIBRARY for its users"
#endif
#ifdef KPACK_ARCHIVE_DETAIL_ARCHIVEREADERIMPL_H
#error "ArchiveReader.h must not include the bodies"
#endif
#ifdef ZSTD_VERSION_NUMBER
#error "ArchiveReader.h must not include zstd.h"
#endif
#ifdef XXH_VERSION_NUMBER
#error "ContentHash.h must not include xxhash.h"
#endif
