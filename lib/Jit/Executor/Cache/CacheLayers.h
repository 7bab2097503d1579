//===- CacheLayers.h - directories that are asked in order ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The read-only directories of a system or a wheel, then the user's, as one:
// find an entry that fits, keep a new one. Nothing is compiled here, and nobody
// waits: Cache.cpp does that. One directory: Jit/Store/Store.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_CACHELAYERS_H
#define KPACK_JIT_EXECUTOR_CACHE_CACHELAYERS_H

#include "Jit/Executor/Cache/Cache.h"

#include <atomic>

namespace kpack::jit {

/// Thread-safe, once it is open.
class CacheLayers {
public:
  /// What is wrong with a layer or an entry of it, for the user.
  using Report = std::function<void(CacheEvent::Kind, std::string)>;

  /// Errors: in strict mode, of the only layer that there is.
  Status open(const CacheOptions &Options);

  /// The first entry that fits. One with the right key may be of another kind,
  /// made for other machines, or not right any more.
  std::optional<StoredEntry> find(const CacheRequest &Request,
                                  const Report &Tell);

  /// The same in the user's layer alone, and without a word.
  std::optional<StoredEntry> findNew(const CacheRequest &Request) const;

  /// In the user's layer; in memory where there is none or it cannot be
  /// written, which \p Tell then gets to know. Errors: OutOfMemory.
  Result<StoredEntry> keep(const EntryInfo &Info, std::string_view Payload,
                           const Report &Tell);

  /// The one that is written to; null where none is.
  Store *user() const { return User; }
  /// The user's, which may not be written; null where it is not read.
  Store *own() const { return Own; }
  std::vector<const Store *> all() const;

private:
  void openSystem(const CacheOptions &Options);
  Result<StoredEntry> publish(const EntryInfo &Info, std::string_view Payload);

  std::vector<std::unique_ptr<Store>> Layers; ///< the user's, if any, is last
  Store *User = nullptr, *Own = nullptr;
  std::string WhyNotKept;
  std::vector<std::string> Unused; ///< why system layers are not
  std::atomic<bool> IsUnusedTold{false};
};

/// The entry in a file that has no name. Errors: OutOfMemory.
Result<StoredEntry> entryInMemory(const EntryInfo &Info,
                                  std::string_view Payload);

/// Whether \p Entry is still right for \p Request.
bool accepts(const CacheRequest &Request, const StoredEntry &Entry);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_CACHELAYERS_H
