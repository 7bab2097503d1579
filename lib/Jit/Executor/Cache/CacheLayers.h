//===- CacheLayers.h - cache directories in search order --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combines the read-only directories of a system or a wheel with the user's:
// finds a matching entry, stores a new one. It neither compiles nor waits;
// Cache.cpp does. One directory: Jit/Store/Store.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_CACHELAYERS_H
#define KPACK_JIT_EXECUTOR_CACHE_CACHELAYERS_H

#include "Jit/Executor/Cache/Cache.h"

#include <atomic>

namespace kpack::jit {

/// Thread-safe after open().
class CacheLayers {
public:
  /// Reports a defect of a layer or an entry to the user.
  using Report = std::function<void(CacheEvent::Kind, std::string)>;

  /// Errors: only in strict mode, if the only layer is unusable.
  Status open(const CacheOptions &Options);

  /// Returns the first matching entry. An entry with the right key may be of
  /// another kind, made for other machines, or outdated.
  std::optional<StoredEntry> find(const CacheRequest &Request,
                                  const Report &Tell);

  /// Searches the user's layer alone, without reports.
  std::optional<StoredEntry> findNew(const CacheRequest &Request) const;

  /// Stores the entry in the user's layer; in memory if there is none or the
  /// write fails, which it reports to \p Tell. Errors: OutOfMemory.
  Result<StoredEntry> keep(const EntryInfo &Info, std::string_view Payload,
                           const Report &Tell);

  /// Returns the writable layer, or null.
  Store *user() const { return User; }
  /// Returns the user's layer, which may be read-only, or null.
  Store *own() const { return Own; }
  std::vector<const Store *> all() const;

private:
  void openSystem(const CacheOptions &Options);
  Result<StoredEntry> publish(const EntryInfo &Info, std::string_view Payload);

  std::vector<std::unique_ptr<Store>> Layers; ///< the user's, if any, is last
  Store *User = nullptr, *Own = nullptr;
  std::string WhyNotKept;
  std::vector<std::string> Unused; ///< reasons why system layers are not used
  std::atomic<bool> IsUnusedTold{false};
};

/// Stores the entry in an unnamed file. Errors: OutOfMemory.
Result<StoredEntry> entryInMemory(const EntryInfo &Info,
                                  std::string_view Payload);

/// Returns true if \p Entry is still valid for \p Request.
bool accepts(const CacheRequest &Request, const StoredEntry &Entry);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_CACHELAYERS_H
