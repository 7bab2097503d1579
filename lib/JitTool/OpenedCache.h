//===- OpenedCache.h - cache that a command line selects --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the directory and reads the descriptions of its entries. The default
// is the front door's (JitTool/FrontDoor.h). A missing directory counts as
// empty if it is the default, and is an error if the user named it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_OPENEDCACHE_H
#define KPACK_LIB_JITTOOL_OPENEDCACHE_H

#include "Filter.h"
#include "kpack/Support/Buffer.h"

namespace kpack::jittool {

struct Place {
  std::string Directory; ///< absolute; empty without a home
  std::string ChosenBy;  ///< "--cache-dir", "CK_JIT_CACHE_DIR", ...
  bool IsNamed = false;  ///< not the default
};
Place placeOf(const CacheInvocation &I);

/// A described entry; its payload was not read.
struct Row {
  jit::StoreItem Item;
  jit::EntryInfo Info;
  std::string Defect; ///< the reason why Info is empty
};

/// Orders by name, target and key.
bool isBefore(const Row &A, const Row &B);

class OpenedCache {
public:
  enum class Access {
    Read,  ///< changes nothing, not even times of use
    Write, ///< existing caches
    Create,
    WouldCreate, ///< like Read, and the cache need not exist
  };
  /// Reports an error and returns nullopt if the cache cannot be opened.
  static std::optional<OpenedCache> open(CacheInvocation &I, Access Mode);

  /// Returns the entries that \p F matches, in the order of isBefore(). Leaves
  /// out log and key fields unless \p Whole: a large cache has gigabytes of
  /// them. An entry that cannot be described has a defect, and matches a filter
  /// for keys only.
  std::vector<Row> rows(Filter &F, bool Whole = false) const;

  const Place &place() const { return Where; }
  /// Null if there is no cache.
  jit::Store *store() const { return Cache.get(); }

private:
  Place Where;
  std::unique_ptr<jit::Store> Cache;
};

/// Returns the bytes of an entry's file.
Result<Buffer> bytesOf(const FrontDoor &Door, const jit::StoredEntry &Entry);

/// Returns a key as tables show it; all commands accept it.
std::string shortKey(const jit::Digest &Id);

} // namespace kpack::jittool

#endif // KPACK_LIB_JITTOOL_OPENEDCACHE_H
