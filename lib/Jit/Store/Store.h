//===- Jit/Store/Store.h - a directory of cache entries ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries (Entry.h) by key, one file each, in a directory that several
// processes, users of a read-only layer and file systems without locks may
// share. An entry appears complete or not at all; what is found is verified
// before it is returned; what is damaged is moved aside and counts as missing.
// Nothing is deleted while somebody reads it: readers hold a descriptor.
//
// Layout: docs/format/jit-cache.md. Who compiles a missing entry:
// CompileLock.h.
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

/// A verified entry. The file stays readable through the descriptor, also when
/// it is evicted meanwhile.
struct StoredEntry {
  UniqueFd File;
  EntryInfo Info;
  uint64_t PayloadSize = 0;
  uint64_t FileSize = 0;
  std::string Path; ///< for messages; may be gone
  /// By the call that gives it; else it was there, here or elsewhere.
  bool IsCompiled = false;
};

struct StoreLimits {
  uint64_t Bytes = uint64_t(20) << 30; ///< 0: no limit
  /// Of products, which those of isAuxiliaryKind() are not; 0: no limit.
  uint64_t Entries = 0;
  uint64_t AgeSeconds = 0; ///< since the last use; 0: no limit
};

struct StoreOptions {
  std::string Directory; ///< created (0700) unless ReadOnly
  bool ReadOnly = false;
  /// Who may own a read-only store, besides root and this process's user. In a
  /// program with more rights than its user these are root and the program's
  /// owner, and nobody else.
  std::vector<uid_t> Owners = {};
  StoreLimits Limits = {};
};

/// One line of list().
struct StoreItem {
  Digest Id{};
  uint64_t FileSize = 0;
  uint64_t LastUse = 0; ///< seconds since 1970
  bool Pinned = false;
  bool Auxiliary = false; ///< unknown to list(): false
};

/// What is kept to find or to make products faster: lists of files,
/// precompiled headers.
bool isAuxiliaryKind(std::string_view Kind);

/// Those of \p Items that are over \p Limits, least recently used last: what
/// prune() removes. Pinned items count and are never among them. A time of use
/// that is to come counts as \p Now.
std::vector<StoreItem> itemsOver(const StoreLimits &Limits,
                                 std::vector<StoreItem> Items, uint64_t Now);

/// The user of this name or number.
std::optional<uid_t> userNamed(const std::string &Name);

/// Thread-safe; several processes may use one directory.
class Store {
public:
  /// Errors: InvalidArgument for a directory that others could write to or that
  /// belongs to somebody else (a read-only store may be root's); IoError.
  static Result<std::unique_ptr<Store>> open(StoreOptions Options);

  /// Gives the directory, the folders of entries and the entries this mode,
  /// also those that follow: who may look into the folder of entries may read
  /// them. Files get it without x; a folder's group stays that of what is made
  /// in it (setgid). Errors: InvalidArgument, others could write; IoError.
  Status setMode(unsigned Mode);
  /// Whether an entry of this read-only store was found that this user cannot
  /// read; of which find() tells once.
  bool hasUnreadable() const { return Unreadable; }

  /// The entry, or nothing. A damaged or foreign file is quarantined, which is
  /// not an error; \p Defect receives the reason where it is not null.
  std::optional<StoredEntry> find(const Digest &Id,
                                  std::string *Defect = nullptr) const;

  /// The entry's description for listings: its checksum is not compared, its
  /// time of use stays. Errors: FileNotFound, IoError, those of
  /// describeEntry().
  Result<StoredEntry> describe(const Digest &Id) const;

  /// Puts an entry aside that was found and is none for the caller: made for
  /// another machine, for example. Whether that was done: a better one may have
  /// its place by now.
  bool reject(const StoredEntry &Entry, const std::string &Reason) const;

  /// Writes the entry under a temporary name, syncs and renames it. An entry
  /// that is there already is replaced. Errors: IoError with what to do (disk
  /// full, quota, read-only).
  Status publish(const EntryInfo &Info, std::string_view Payload);

  /// All entries, in no order; their content is not read.
  std::vector<StoreItem> list() const;

  Status remove(const Digest &Id);
  /// Pinned entries are never evicted.
  Status pin(const Digest &Id, bool Pinned);

  /// Removes what is over the limits, least recently used first, and what was
  /// left behind: temporary files, locks without owners, old quarantined files.
  /// The entry \p Newest stays unless it is larger than all may be together.
  Status prune(const StoreLimits &Limits, const Digest *Newest = nullptr);
  /// prune() with the store's own limits, unless somebody did that within the
  /// interval. At once where there are too many entries, of which a tenth more
  /// than those then goes, so that not each new one is followed by this.
  /// Failures are ignored: the next one tries again.
  void pruneSometimes(const Digest &Newest);

  const std::string &directory() const { return Options.Directory; }
  /// Where an entry is, relative to the directory: "objects/12/12...34.entry".
  static std::string pathOf(const Digest &Id);
  /// The directory's descriptor, valid while the store lives.
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
  /// At most so many products; NotCounted: not known yet.
  static constexpr uint64_t NotCounted = UINT64_MAX;
  std::atomic<uint64_t> Products{NotCounted};
};

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_STORE_H
