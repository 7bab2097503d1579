//===- WholeFile.h - bytes and reader of one open file ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both are taken from one open file: its name may lead to another file later.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_COMMANDS_WHOLEFILE_H
#define KPACK_TOOL_COMMANDS_WHOLEFILE_H

#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Support/OutputFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>

namespace kpack::tool {

struct WholeFile {
  std::unique_ptr<llvm::MemoryBuffer> Bytes;
  Readers Who;
};

llvm::Expected<WholeFile> readWhole(const std::string &Path);

/// Returns nullopt for an archive in memory.
std::optional<Readers> getReaders(const ArchiveReader &Archive);

} // namespace kpack::tool

#endif // KPACK_TOOL_COMMANDS_WHOLEFILE_H
