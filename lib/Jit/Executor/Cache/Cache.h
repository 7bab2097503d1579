//===- Jit/Executor/Cache/Cache.h - look up, or compile once ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cache as a front door sees it: give a key and a function that compiles,
// get an entry. Layers are asked in order (read-only ones of the system or of a
// wheel, the user's, a remote one); on a miss one thread of one process
// compiles while all others wait; a failure is remembered for a while and
// reported in the compiler's words. A store that cannot be written never stops
// a program: the compiled entry is then used from memory.
//
// Siblings: Store.h (one layer), CompileLock.h (one compile among processes).
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
  ReadOnly, ///< compiles what is missing, keeps it for this process only
  Off,      ///< compiles everything
  Strict,   ///< never compiles: a miss is an error that says how to prebuild
};

struct CacheOptions {
  std::string Directory;                      ///< the user's layer
  std::vector<std::string> SystemDirectories; ///< read-only layers, asked first
  /// Who may own those, besides root and this process's user.
  std::vector<uid_t> SystemOwners;
  CacheMode Mode = CacheMode::ReadWrite;
  StoreLimits Limits;
  /// Seconds to wait for a compile of another process.
  double MaxWait = 600;
  /// Seconds for which a failure that may pass is not tried again. One that
  /// says something about the source (InvalidArgument, KernelNotFound) is not
  /// tried again by this object.
  double FailureLifetime = 60;
  /// Asked after all others, not with Off; gets what was compiled with
  /// ReadWrite. Null: none.
  std::shared_ptr<RemoteTier> Remote;
  /// Text of strict mode: how to compile \p Name beforehand.
  std::string PrebuildHint;
  /// Null: lines on stderr (Progress.h).
  CacheCallback OnEvent;
  /// Whether OnEvent is told of StillCompiling, which needs a thread while
  /// something is compiled.
  bool WithTicks = false;
  /// Whether OnEvent is told of a Reason for each compile.
  bool Explains = false;
};

/// What is looked for.
struct CacheRequest {
  KeyRecord Key;
  std::string Name;
  std::string Kind = "shared-object";
  std::string Target;
  std::string Symbol;
  std::string Machine; ///< see EntryInfo
  /// Whether an entry still is right, for those whose truth is outside of the
  /// cache (Kind "recipe"); one that is not is missing. Null: always.
  std::function<bool(const StoredEntry &)> Accept;
  /// Compiled also where there is an entry, whose place it takes. In strict
  /// mode what is there is given.
  bool Replaces = false;
  /// Not a kernel: not counted, not shown, and failures are not remembered.
  bool Auxiliary = false;
  /// Asked while the caller waits for others who compile the same.
  StopCallback Stop;
};

/// Thread-safe. Keys of different threads do not wait for each other.
class Cache {
public:
  /// A directory that cannot be used is no error but in strict mode: the cache
  /// then works in memory and says so with NotKept. A program with more rights
  /// than its user writes none and asks no remote one.
  static Result<std::unique_ptr<Cache>> open(CacheOptions Options);
  virtual ~Cache() = default;
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  /// The entry of \p Request, compiled by \p Compile if nobody has it. Errors:
  /// what \p Compile said, also to everybody who waited for it; KernelNotFound
  /// in strict mode.
  virtual Result<StoredEntry>
  get(const CacheRequest &Request,
      const std::function<Result<Product>()> &Compile) = 0;

  /// Compiled, whoever has it, and kept nowhere.
  virtual Result<StoredEntry>
  make(const CacheRequest &Request,
       const std::function<Result<Product>()> &Compile) = 0;

  /// What is nearest to \p Request in all layers: see findNearest().
  virtual std::optional<NearestEntry>
  nearest(const CacheRequest &Request) const = 0;

  /// Calls \p Take for each product in all layers until it is false.
  virtual void eachProduct(const std::function<bool(StoredEntry &&)> &Take) = 0;

  /// Removes what is over the limits; all that is not pinned. Errors:
  /// InvalidArgument, nothing is kept in files; of Store::prune().
  virtual Status prune() = 0;
  virtual Status clear() = 0;

  /// The entry, if it is in a layer: nothing is compiled or asked of others.
  /// Counted as a hit where it is.
  virtual std::optional<StoredEntry> peek(const CacheRequest &Request) = 0;

  /// Keeps \p Files (names and contents) about a failure in the user's layer
  /// until there are newer ones. The folder, or nothing where it is not
  /// written.
  virtual std::string keepFailure(
      const Digest &Id,
      const std::vector<std::pair<std::string, std::string>> &Files) = 0;

  /// Of this object: no name, no bytes, no times of use.
  virtual KernelStatistics statistics() const = 0;

  /// Of the layer that is written to; empty when nothing is kept.
  virtual std::string writableDirectory() const = 0;
  /// Of the user's layer, which may not be written; empty when it is not read.
  virtual std::string directory() const = 0;

protected:
  Cache() = default;
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_CACHE_H
