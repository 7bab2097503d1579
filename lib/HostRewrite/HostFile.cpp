//===- HostFile.cpp - a linked file, whatever its format ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first bytes say which format it is. What is of none is for the reader of
// ELF files, which knows what to say.
//
//===----------------------------------------------------------------------===//
#include "HostFile.h"

using namespace llvm;

namespace kpack::hostrewrite {

HostFile::~HostFile() = default;

Expected<std::unique_ptr<HostFile>> HostFile::open(StringRef Bytes,
                                                   StringRef Name) {
  return openElf(Bytes, Name);
}

} // namespace kpack::hostrewrite
