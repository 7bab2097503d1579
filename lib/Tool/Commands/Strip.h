//===- Strip.h - kpack strip: removal of debug information ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strip.cpp is the command and strips code objects that are files;
// StripArchive.cpp strips archives.
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

/// The parameters from the command line.
struct StripPlan {
  bool IsSplit = false;
  /// Empty: replace the input.
  std::string Output;

  std::string outputFor(const std::string &Path) const {
    return Output.empty() ? Path : Output;
  }
};

struct Stripped {
  std::string Path;
  size_t Entries = 0, Changed = 0;
  uint64_t SizeBefore = 0, SizeAfter = 0;
  /// The path of the removed debug information; empty if it was dropped.
  std::string DebugPath = {};
  /// Messages about code objects that stay unchanged.
  std::vector<std::string> Notes = {};

  /// Adds a note if \p Bytes, which lose no debug information, are damaged.
  void noteDamage(const std::string &Name, llvm::StringRef Bytes);
};

/// Writes the archive \p Path by \p Plan, unless it has no debug information.
llvm::Expected<Stripped> stripArchive(const std::string &Path,
                                      const StripPlan &Plan);

} // namespace kpack::tool

#endif // KPACK_TOOL_COMMANDS_STRIP_H
