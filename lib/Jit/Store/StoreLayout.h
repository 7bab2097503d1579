//===- StoreLayout.h - file names in a cache directory ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names below a cache directory (docs/format/jit-cache.md, "Directory"), and
// the helpers that Store.cpp and StoreCleanup.cpp use to walk it.
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

/// Returns seconds since 1970.
uint64_t secondsNow();

/// Returns the names in a directory below \p Root, without dot files.
std::vector<std::string> namesIn(int Root, const std::string &Path);

/// Returns true if \p Path below \p Root is the file that \p Info describes.
bool isSameFile(int Root, const std::string &Path, const struct stat &Info);

/// Removes leftovers of killed processes: temporary files older than a day,
/// locks without owner, sources for debuggers older than a month, and
/// quarantined files except the newest 64 of the last 30 days.
void removeLeftovers(int Root);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_STORE_STORELAYOUT_H
