//===- OpenedCache.h - the cache that a command line means ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which directory it is, and what its entries say of themselves. The default
// is the front door's (JitTool/FrontDoor.h). One that is not there
// is empty when it is the default, and an error when the user has named it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_OPENEDCACHE_H
#define KPACK_LIB_JITTOOL_OPENEDCACHE_H

#include "Filter.h"
#include "kpack/Support/Buffer.h"

namespace kpack::jittool {

struct Place {
  std::string Directory; ///< absolute; empty: there is no home
  std::string ChosenBy;  ///< "--cache-dir", "CK_JIT_CACHE_DIR", ...
  bool IsNamed = false;  ///< not the default
};
Place placeOf(const Invocation &I);

/// One entry, described: its payload was not read.
struct Row {
  jit::StoreItem Item;
  jit::EntryInfo Info;
  std::string Defect; ///< why Info is empty
};

/// By name, target and key.
bool isBefore(const Row &A, const Row &B);

class OpenedCache {
public:
  enum class Access {
    Read,  ///< changes nothing, not even times of use
    Write, ///< what is there
    Create,
    WouldCreate, ///< Read, and nothing need be there
  };
  /// Nothing, and an error, when it cannot be opened.
  static std::optional<OpenedCache> open(Invocation &I, Access How);

  /// Entries that \p F matches, in the order of isBefore(). Log and key fields
  /// are left out unless \p Whole: a large cache has gigabytes of them. Entries
  /// that cannot be described have a defect, and match what asks for nothing
  /// but a key.
  std::vector<Row> rows(Filter &F, bool Whole = false) const;

  const Place &place() const { return Where; }
  /// Null: nothing is there.
  jit::Store *store() const { return Cache.get(); }

private:
  Place Where;
  std::unique_ptr<jit::Store> Cache;
};

/// The bytes of an entry's file.
Result<Buffer> bytesOf(const FrontDoor &Door, const jit::StoredEntry &Entry);

/// A key as tables show it: what all commands take as its beginning.
std::string shortKey(const jit::Digest &Id);

} // namespace kpack::jittool

#endif // KPACK_LIB_JITTOOL_OPENEDCACHE_H
