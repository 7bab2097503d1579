//===- Jit/Store/Store.h - a directory of cache entries ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores entries (Entry.h) by key, one file each. Several processes, users of a
// read-only layer and file systems without locks may share the directory. An
// entry appears complete or not at all. find() verifies entries before it
// returns them; it moves damaged ones aside and counts them as missing. Readers
// hold a descriptor, so that removal never disturbs them.
//
// Layout: docs/format/jit-cache.md. CompileLock.h selects the process that
// compiles a missing entry.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_STORE_H
#define KPACK_JIT_STORE_STORE_H

#include "Jit/Store/Entry.h"
#include "kpack/Support/UniqueFd.h"

#include <atomic>
#include <memory>
#include <optional>
#include <sys/types.h>

namespace kpack::jit {

/// A verified entry. The file stays readable through the descriptor even if it
/// is evicted meanwhile.
struct StoredEntry {
  UniqueFd File;
  EntryInfo Info;
  uint64_t PayloadSize = 0;
  uint64_t FileSize = 0;
  std::string Path; ///< for messages; may be gone
  /// True if this call compiled it; false if a cache had it.
  bool IsCompiled = false;
};

struct StoreLimits {
  uint64_t Bytes = uint64_t(20) << 30; ///< 0: no limit
  /// Of products; those of isAuxiliaryKind() do not count. 0: no limit.
  uint64_t Entries = 0;
  uint64_t AgeSeconds = 0; ///< since the last use; 0: no limit
};

struct StoreOptions {
  std::string Directory; ///< created (0700) unless ReadOnly
  bool ReadOnly = false;
  /// Users that may own a read-only store, besides root and this process's
  /// user. In a program with more rights than its user, only root and the
  /// program's owner may.
  std::vector<uid_t> Owners = {};
  StoreLimits Limits = {};
};

/// One line of list().
struct StoreItem {
  Digest Id{};
  uint64_t FileSize = 0;
  uint64_t LastUse = 0; ///< seconds since 1970
  bool Pinned = false;
  bool Auxiliary = false; ///< list() leaves it false
};

/// True for entries that only help to find or make products: lists of files,
/// precompiled headers.
bool isAuxiliaryKind(std::string_view Kind);

/// Returns the items over \p Limits, least recently used last; prune() removes
/// them. Pinned items count but are never returned. A time of use in the future
/// counts as \p Now.
std::vector<StoreItem> itemsOver(const StoreLimits &Limits,
                                 std::vector<StoreItem> Items, uint64_t Now);

/// Finds a user by name or number.
std::optional<uid_t> userNamed(const std::string &Name);

/// Thread-safe; several processes may use one directory.
class Store {
public:
  /// Opens the directory. Errors: InvalidArgument if others may write to it or
  /// it belongs to another user (a read-only store may be root's); IoError.
  static Result<std::unique_ptr<Store>> open(StoreOptions Options);

  /// Sets the mode of the directory, the folders of entries and all present and
  /// future entries; users that can list the folder of entries may read them.
  /// Files get it without x bits; folders keep their setgid bit. Errors:
  /// InvalidArgument if others could write; IoError.
  Status setMode(unsigned Mode);
  /// True if find() has met an entry of this read-only store that this user
  /// cannot read. It reports only the first one.
  bool hasUnreadable() const { return Unreadable; }

  /// Returns the entry, or nullopt. A damaged or foreign file is quarantined,
  /// which is no error; \p Defect, if not null, receives the reason.
  std::optional<StoredEntry> find(const Digest &Id,
                                  std::string *Defect = nullptr) const;

  /// Returns the entry's description for listings. Does not compare the
  /// checksum or change the time of use. Errors: FileNotFound, IoError, those
  /// of describeEntry().
  Result<StoredEntry> describe(const Digest &Id) const;

  /// Quarantines a found entry that does not serve the caller, for example one
  /// made for another machine. Returns false if it was not moved: a better one
  /// may have its place by now.
  bool reject(const StoredEntry &Entry, const std::string &Reason) const;

  /// Writes the entry under a temporary name, syncs and renames it. Replaces an
  /// existing entry. Errors: IoError with the remedy (disk full, quota,
  /// read-only).
  Status publish(const EntryInfo &Info, std::string_view Payload);

  /// Lists all entries, in no order, without reading their content.
  std::vector<StoreItem> list() const;

  Status remove(const Digest &Id);
  /// Pinned entries are never evicted.
  Status pin(const Digest &Id, bool Pinned);

  /// Removes entries over the limits, keeping the most recently used ones, and
  /// leftovers: temporary files, locks without owners, old quarantined files.
  /// Keeps \p Newest unless it alone exceeds the limit.
  Status prune(const StoreLimits &Limits, const Digest *Newest = nullptr);
  /// Calls prune() with the store's limits unless any process did so within the
  /// interval. If there are too many entries it prunes at once, to a tenth
  /// below the limit, so that not every new entry needs a prune. Ignores
  /// failures: the next call tries again.
  void pruneSometimes(const Digest &Newest);

  const std::string &directory() const { return Options.Directory; }
  /// The path of an entry in the directory: "objects/12/12...34.entry".
  static std::string pathOf(const Digest &Id);
  /// Returns the directory's descriptor, valid while the store lives.
  int descriptor() const { return Root.get(); }

private:
  Store(StoreOptions Options, UniqueFd Root)
      : Options(std::move(Options)), Root(std::move(Root)) {}

  bool quarantine(const Digest &Id, int File, const std::string &Reason) const;
  bool isPinned(const Digest &Id) const;
  uint64_t markAuxiliary(std::vector<StoreItem> &Items) const;
  bool isOverEntries();

  StoreOptions Options;
  UniqueFd Root;
  mutable std::atomic<bool> Unreadable{false};
  /// Upper bound of the number of products, or NotCounted.
  static constexpr uint64_t NotCounted = UINT64_MAX;
  std::atomic<uint64_t> Products{NotCounted};
};

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_STORE_H
