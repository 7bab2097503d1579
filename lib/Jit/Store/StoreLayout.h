//===- StoreLayout.h - where things are in a cache directory ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names below a cache directory, as docs/format/jit-cache.md, "Directory", has
// them, and what Store.cpp and StoreCleanup.cpp both need to walk there.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_STORE_STORELAYOUT_H
#define KPACK_LIB_JIT_STORE_STORELAYOUT_H

#include <cstdint>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace kpack::jit {

constexpr const char *ObjectsName = "objects";
constexpr const char *QuarantineName = "quarantine";
constexpr const char *PinsName = "pins";
constexpr const char *LocksName = "locks";
constexpr const char *SourcesName = "sources";
constexpr const char *PruneStampName = "last-prune";

/// Seconds since 1970.
uint64_t secondsNow();

/// The names in a directory below \p Root, without dot files.
std::vector<std::string> namesIn(int Root, const std::string &Path);

/// Whether \p Path below \p Root is the file that \p Info describes.
bool isSameFile(int Root, const std::string &Path, const struct stat &Info);

/// Removes what processes that were killed have left: temporary files of a day,
/// locks that nobody holds; sources for debuggers of a month; and of what is in
/// quarantine all but the last 64 of the last 30 days.
void removeLeftovers(int Root);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_STORE_STORELAYOUT_H
