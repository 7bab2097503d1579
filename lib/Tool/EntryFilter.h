//===- EntryFilter.h - entries by --arch= and --binary= ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects entries of an archive. A filter is a glob; it also matches a name
// that is equal to it, so a name with brackets can be given verbatim.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_ENTRYFILTER_H
#define KPACK_LIB_TOOL_ENTRYFILTER_H

#include "ToolSupport/Glob.h"
#include "kpack/Archive/ArchiveReader.h"

#include <string>
#include <vector>

namespace kpack::tool {

class EntryFilter {
public:
  /// An entry must match one of \p Arches and one of \p Binaries; an empty list
  /// matches everything. An item of Arches may be a list with commas. Errors
  /// name the option and the pattern.
  static llvm::Expected<EntryFilter> create(llvm::ArrayRef<std::string> Arches,
                                            std::vector<std::string> Binaries);

  bool matches(const ArchiveEntry &Entry) const;
  /// True if some entries may not match.
  bool chooses() const { return !Arches.empty() || !Binaries.empty(); }

  /// Returns "--binary=x --arch=y", for messages.
  std::string describe() const;

private:
  GlobList Arches;
  GlobList Binaries;
};

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_ENTRYFILTER_H
