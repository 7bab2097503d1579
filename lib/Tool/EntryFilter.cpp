//===- EntryFilter.cpp - entries by --arch= and --binary= -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two lists of globs, one for each name of an entry.
//
//===----------------------------------------------------------------------===//
#include "Tool/EntryFilter.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

Expected<EntryFilter> EntryFilter::create(ArrayRef<std::string> Arches,
                                          std::vector<std::string> Binaries) {
  EntryFilter Filter;
  if (Error E = GlobList::createFromLists("--arch=", Arches, "target ids")
                    .moveInto(Filter.Arches))
    return E;
  if (Error E = GlobList::create("--binary=", std::move(Binaries))
                    .moveInto(Filter.Binaries))
    return E;
  return Filter;
}

bool EntryFilter::matches(const ArchiveEntry &Entry) const {
  return Arches.matches(Entry.Arch) && Binaries.matches(Entry.Binary);
}

std::string EntryFilter::describe() const {
  return StringRef(Binaries.describe() + Arches.describe()).ltrim().str();
}
