//===- ToolSupport/Glob.h - glob patterns for names -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options that select names (--arch=, --binary=, --target=) and operands that
// name entries take globs of llvm::GlobPattern: "gfx11*", "lib{a,b}.so#0". A
// pattern also matches a name that is equal to it, so a name with brackets can
// be given verbatim.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_GLOB_H
#define KPACK_TOOLSUPPORT_GLOB_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

#include <memory>
#include <string>
#include <vector>

namespace kpack {

class Glob {
public:
  /// An error begins with \p Option and the text, "--arch=gfx[".
  static llvm::Expected<Glob> create(llvm::StringRef Option, std::string Text);

  bool matches(llvm::StringRef Name) const {
    return *Text == Name || Pattern.match(Name);
  }
  const std::string &text() const { return *Text; }

private:
  // By pointer: the pattern refers to its text, and a Glob can be moved.
  std::unique_ptr<std::string> Text;
  llvm::GlobPattern Pattern;
};

/// An empty list matches everything.
class GlobList {
public:
  static llvm::Expected<GlobList> create(llvm::StringRef Option,
                                         std::vector<std::string> Texts);
  /// Like create(), for an option whose values may be lists,
  /// "--arch=gfx90a,gfx11*". The error for an empty item asks for
  /// \p WhatToGive, "target ids".
  static llvm::Expected<GlobList>
  createFromLists(llvm::StringRef Option, llvm::ArrayRef<std::string> Lists,
                  llvm::StringRef WhatToGive);

  bool empty() const { return Globs.empty(); }
  bool matches(llvm::StringRef Name) const;
  /// " --arch=gfx90a --arch=gfx11*", for messages.
  std::string describe() const;

private:
  std::string Option;
  std::vector<Glob> Globs;
};

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_GLOB_H
