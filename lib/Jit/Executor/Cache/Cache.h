//===- Cache/Cache.h - look-up, and one compile on a miss -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cache of a front door: it passes a key and a compile function and gets an
// entry. get() searches the layers in order (read-only ones of the system or of
// a wheel, the user's, a remote one). On a miss one thread of one process
// compiles while all others wait; a failure is remembered for a while and
// reported with the compiler's output. A store that cannot be written never
// stops a program: the compiled entry is then used from memory.
//
// See also Store.h (one layer) and CompileLock.h (single compile across
// processes).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_CACHE_H
#define KPACK_JIT_EXECUTOR_CACHE_CACHE_H

#include "Jit/Executor/Cache/CacheEvent.h"
#include "Jit/Executor/Cache/NearestEntry.h"
#include "Jit/Service/Remote.h"
#include "Jit/Store/Statistics.h"
#include "Jit/Store/StopCallback.h"

namespace kpack::jit {

enum class CacheMode {
  ReadWrite,
  ReadOnly, ///< compiles missing entries and keeps them for this process only
  Off,      ///< compiles everything
  Strict,   ///< never compiles: a miss is an error with the prebuild command
};

struct CacheOptions {
  std::string Directory;                      ///< the user's layer
  std::vector<std::string> SystemDirectories; ///< read-only, searched first
  /// Users that may own those, besides root and this process's user.
  std::vector<uid_t> SystemOwners;
  CacheMode Mode = CacheMode::ReadWrite;
  StoreLimits Limits;
  /// Seconds to wait for a compile of another process.
  double MaxWait = 600;
  /// Seconds for which a transient failure is not tried again. This object
  /// never retries a failure of the source (InvalidArgument, KernelNotFound).
  double FailureLifetime = 60;
  /// Searched last, except with Off; receives compiled entries with ReadWrite.
  /// May be null.
  std::shared_ptr<RemoteTier> Remote;
  /// Text for strict mode: the command that prebuilds \p Name.
  std::string PrebuildHint;
  /// Null: lines on stderr (Progress.h).
  CacheCallback OnEvent;
  /// OnEvent receives StillCompiling, which needs a thread during compiles.
  bool WithTicks = false;
  /// OnEvent receives a Reason for each compile.
  bool Explains = false;
};

/// A request for an entry.
struct CacheRequest {
  KeyRecord Key;
  std::string Name;
  std::string Kind = "shared-object";
  std::string Target;
  std::string Symbol;
  std::string Machine; ///< see EntryInfo
  /// Returns false for an entry that is no longer valid, for kinds that depend
  /// on files outside of the cache ("recipe"); it then counts as missing. Null:
  /// always valid.
  std::function<bool(const StoredEntry &)> Accept;
  /// Compiles even if there is an entry, and replaces it. In strict mode the
  /// existing entry is returned.
  bool Replaces = false;
  /// Not a kernel: not counted or shown, and failures are not remembered.
  bool Auxiliary = false;
  /// Polled while the caller waits for another compile of the same key.
  StopCallback Stop;
};

/// Thread-safe. Threads with different keys do not wait for each other.
class Cache {
public:
  /// An unusable directory is an error only in strict mode; otherwise the cache
  /// works in memory and reports NotKept. A program with more rights than its
  /// user writes no entries and uses no remote cache.
  static Result<std::unique_ptr<Cache>> open(CacheOptions Options);
  virtual ~Cache() = default;
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  /// Returns the entry of \p Request, compiled by \p Compile if no layer has
  /// it. Errors: those of \p Compile, also for all callers that waited for it;
  /// KernelNotFound in strict mode.
  virtual Result<StoredEntry>
  get(const CacheRequest &Request,
      const std::function<Result<Product>()> &Compile) = 0;

  /// Compiles in any case and stores nothing.
  virtual Result<StoredEntry>
  make(const CacheRequest &Request,
       const std::function<Result<Product>()> &Compile) = 0;

  /// Returns the entry nearest to \p Request in all layers: see findNearest().
  virtual std::optional<NearestEntry>
  nearest(const CacheRequest &Request) const = 0;

  /// Calls \p Take for each product in all layers until it returns false.
  virtual void eachProduct(const std::function<bool(StoredEntry &&)> &Take) = 0;

  /// prune() removes entries over the limits, clear() all that are not pinned.
  /// Errors: InvalidArgument if the cache has no files; those of
  /// Store::prune().
  virtual Status prune() = 0;
  virtual Status clear() = 0;

  /// Returns the entry if a local layer has it, and then counts a hit. Does not
  /// compile or wait.
  virtual std::optional<StoredEntry> peek(const CacheRequest &Request) = 0;

  /// Stores \p Files (names and contents) about a failure in the user's layer
  /// until there are newer failures. Returns the folder, or empty if nothing
  /// was written.
  virtual std::string keepFailure(
      const Digest &Id,
      const std::vector<std::pair<std::string, std::string>> &Files) = 0;

  /// Returns the counts of this object, without names, bytes or times of use.
  virtual KernelStatistics statistics() const = 0;

  /// Returns the directory of the writable layer, or empty.
  virtual std::string writableDirectory() const = 0;
  /// Returns the directory of the user's layer, which may be read-only; empty
  /// if it is not used.
  virtual std::string directory() const = 0;

protected:
  Cache() = default;
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_CACHE_H
