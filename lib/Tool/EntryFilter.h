//===- EntryFilter.h - --arch= and --binary= --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which entries of an archive the user means. A filter is a glob; text that is
// equal to a name matches it as well, so that a name with brackets in it can be
// given as it is printed.
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
  /// An entry must match one of \p Arches and one of \p Binaries; an empty
  /// list matches everything. One of Arches may itself be a list with commas.
  /// The error names the option and the pattern.
  static llvm::Expected<EntryFilter> create(llvm::ArrayRef<std::string> Arches,
                                            std::vector<std::string> Binaries);

  bool matches(const ArchiveEntry &Entry) const;
  /// False when every architecture is.
  bool chooses() const { return !Arches.empty() || !Binaries.empty(); }

  /// "--binary=x --arch=y", for messages.
  std::string describe() const;

private:
  GlobList Arches;
  GlobList Binaries;
};

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_ENTRYFILTER_H
