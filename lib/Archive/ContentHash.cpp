//===- ContentHash.cpp - XXH3-128 of a code object, compiled --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines nothing without KPACK_ARCHIVE_LIBRARY, like ArchiveReader.cpp.
//
//===----------------------------------------------------------------------===//
#include "kpack/Archive/detail/ContentHash.h"

#include "kpack/Archive/detail/ContentHashImpl.h"
