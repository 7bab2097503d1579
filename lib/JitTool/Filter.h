//===- Filter.h - entries that a command line selects -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand is a kernel's name, a glob over names, or the first digits of a
// key. --kind=, --target= and --pinned restrict the selection.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_FILTER_H
#define KPACK_LIB_JITTOOL_FILTER_H

#include "CacheVerb.h"

#include "Jit/Store/Store.h"
#include "ToolSupport/Glob.h"

#include <set>
#include <vector>

namespace kpack::jittool {

class Filter {
public:
  /// Errors name the option or operand that is no glob.
  static llvm::Expected<Filter> create(const CacheInvocation &I,
                                       llvm::ArrayRef<std::string> Operands);

  /// An entry must match one operand, if there are any, and each option.
  bool matches(const jit::StoreItem &Item, const jit::EntryInfo &Info);

  /// Returns true if everything matches.
  bool isEmpty() const;
  bool hasKinds() const { return !Kinds.empty(); }
  /// Reports an error for each operand without a match.
  void reportUnused(const CacheInvocation &I) const;

private:
  struct Operand {
    Glob Name;
    bool Used = false;
  };
  std::vector<Operand> Operands;
  GlobList Targets;
  std::set<std::string> Kinds;
  bool OnlyPinned = false;
};

/// Returns true if \p Text may begin a key: 4 to 64 hexadecimal digits.
bool isKeyPrefix(llvm::StringRef Text);

} // namespace kpack::jittool

#endif // KPACK_LIB_JITTOOL_FILTER_H
