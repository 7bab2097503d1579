//===- Commands/Strip.h - device code without debug information -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strip.cpp is the command and takes code objects that are files apart;
// StripArchive.cpp does that with archives.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_COMMANDS_STRIP_H
#define KPACK_TOOL_COMMANDS_STRIP_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kpack::tool {

/// What is to happen, from the command line.
struct StripPlan {
  bool IsSplit = false;
  /// Empty: in the place of the input.
  std::string Output;

  std::string outputFor(const std::string &Path) const {
    return Output.empty() ? Path : Output;
  }
};

struct Stripped {
  std::string Path;
  size_t Entries = 0, Changed = 0;
  uint64_t SizeBefore = 0, SizeAfter = 0;
  /// Where the debug information went; empty: nowhere.
  std::string DebugPath = {};
  /// What is to be said of code objects that stay as they are.
  std::vector<std::string> Notes = {};

  /// Notes whether \p Bytes, of which nothing goes, are damaged.
  void noteDamage(const std::string &Name, llvm::StringRef Bytes);
};

/// Writes the archive \p Path by \p Plan, unless nothing is to go.
llvm::Expected<Stripped> stripArchive(const std::string &Path,
                                      const StripPlan &Plan);

} // namespace kpack::tool

#endif // KPACK_TOOL_COMMANDS_STRIP_H
