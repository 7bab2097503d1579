//===- Outputs/Replacements.h - what had the names before -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rename replaces one file at once, several renames do not: the second may
// fail when the first is done. This keeps the replaced files, by hard links
// beside them, until all renames are done, and puts them back otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_REPLACEMENTS_H
#define KPACK_OUTPUTS_REPLACEMENTS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <system_error>
#include <vector>

namespace kpack {

/// A name beside \p Path that no other writer uses and that removeLeftovers()
/// knows. Creates nothing.
std::string temporaryNameFor(llvm::StringRef Path);

/// To be used under HeldInterrupts.
class Replacements {
public:
  Replacements() = default;
  /// Each name has its file again, or none, unless forget() was called.
  ~Replacements();
  Replacements(const Replacements &) = delete;
  Replacements &operator=(const Replacements &) = delete;

  /// To be called before a file gets the name \p Path. Where there are no hard
  /// links the name is free from here on.
  std::error_code save(llvm::StringRef Path);

  /// Everything is replaced; removes the old files.
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
