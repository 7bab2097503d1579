//===- ArchiveReader.cpp - reader of .kpack archives, compiled ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without KPACK_ARCHIVE_LIBRARY (fake runtimes and fuzzers in the tests) this
// file defines nothing: all users get the bodies from the header.
//
//===----------------------------------------------------------------------===//
#include "kpack/Archive/ArchiveReader.h"

#include "kpack/Archive/detail/ArchiveReaderImpl.h"
