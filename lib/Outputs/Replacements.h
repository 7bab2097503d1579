//===- Outputs/Replacements.h - backups of replaced files -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rename is atomic, several are not: the second may fail after the first.
// This class keeps the replaced files, as hard links beside them, until all
// renames are done, and restores them otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_REPLACEMENTS_H
#define KPACK_OUTPUTS_REPLACEMENTS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <system_error>
#include <vector>

namespace kpack {

/// Returns a unique name beside \p Path that removeLeftovers() recognises.
/// Creates no file.
std::string temporaryNameFor(llvm::StringRef Path);

/// Use only under HeldInterrupts.
class Replacements {
public:
  Replacements() = default;
  /// Restores the state of each path, unless forget() was called.
  ~Replacements();
  Replacements(const Replacements &) = delete;
  Replacements &operator=(const Replacements &) = delete;

  /// Call before a file is renamed to \p Path. Without hard links the old file
  /// is moved away at once.
  std::error_code save(llvm::StringRef Path);

  /// Removes the old files after the last rename.
  void forget();

private:
  struct Replaced {
    std::string Path;
    std::string Saved; // empty: the name was free
  };
  std::vector<Replaced> Files;
};

} // namespace kpack

#endif // KPACK_OUTPUTS_REPLACEMENTS_H
