//===- ProgramCache.h - in-memory cache of loaded programs ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory layer of a cache: the programs that this process has loaded, by
// request. Lower layers key a source by all inputs of its compile and check
// those files each time. Here only the request is compared, so that a program
// stays as it was first loaded, like code that is linked in. If several threads
// request one program, one of them compiles and loads it, and all get the same;
// different programs do not wait for each other.
//
// Over capacity, the least recently used programs are dropped; a dropped
// program lives as long as it is referenced.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAMCACHE_H
#define KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAMCACHE_H

#include "Jit/Executor/Cache/SourceCache.h"
#include "Jit/Executor/Programs/Program.h"
#include "Support/ForkGuard.h"

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>

namespace kpack::jit {

/// Hashes all fields of a request.
Digest getDigest(const CompileRequest &Request);

/// Thread-safe.
class ProgramCache {
public:
  /// \p Sources must outlive this object. \p Capacity: number of kept programs;
  /// with 0 each get() loads a separate one.
  ProgramCache(SourceCache &Sources, size_t Capacity);

  /// Receives the result of each request before it is loaded; get() returns its
  /// errors. Set it before the first get().
  using Observer =
      std::function<Status(const CompileRequest &, const StoredEntry &)>;
  void setObserver(Observer Shown) { Show = std::move(Shown); }

  /// Returns the program; compiles it if no layer has it. Freshness::Own
  /// returns one that no other caller gets; Freshness::There does not wait for
  /// a running compile. Errors: those of SourceCache::get() and
  /// Program::load().
  Result<ProgramRef> get(const CompileRequest &Request,
                         Freshness Wanted = Freshness::Any);
  /// Returns the program in memory, or none; never waits for a compile.
  ProgramRef peek(const CompileRequest &Request);

  /// Returns the program in memory for a request whose inputs have the digest
  /// \p Fingerprint, if remember() has it. This saves making the request.
  ProgramRef known(const Digest &Fingerprint);
  /// Records that \p Fingerprint mean \p Request while this cache lives.
  void remember(const Digest &Fingerprint, const CompileRequest &Request);

  /// Loads all programs in the cache's files, so that a get() that finds one of
  /// them does not load it. Returns their number.
  size_t preload();

  /// Drops all programs; references stay valid.
  void clear();
  size_t size() const;

private:
  struct Slot {
    std::mutex Loading;                  ///< held during compile and load
    std::atomic<bool> IsReplaced{false}; ///< being compiled, even if cached
    // Guarded by the cache's lock:
    unsigned Users = 0; ///< threads in get()
    ProgramRef Program;
    std::list<Digest>::iterator Use; ///< position in Order
  };
  using SlotRef = std::shared_ptr<Slot>;

  SlotRef slot(const Digest &Id);
  ProgramRef getProgram(const Slot &Place) const;
  void keep(Slot &Place, const ProgramRef &Loaded);
  bool lockWithoutCompile(std::unique_lock<std::mutex> &One, const Slot &Place,
                          const CompileRequest &Request);
  Result<ProgramRef> makeIn(Slot &Place, const CompileRequest &Request,
                            Freshness Wanted);
  void leave(const Digest &Id, const SlotRef &Place);
  std::vector<ProgramRef> evict();
  void forgetThreads();
  Result<ProgramRef> load(const CompileRequest &Request, Freshness HowNew,
                          StoredEntry Entry);

  SourceCache &Sources;
  const size_t Capacity;
  Observer Show;
  mutable std::mutex Lock; ///< for look-ups only
  std::map<Digest, SlotRef> Slots;
  std::map<Digest, ProgramRef> Preloaded; ///< by the keys of entries
  std::map<Digest, Digest> RequestOf;     ///< by digests of their inputs
  std::list<Digest> Order;                ///< most recently used first
  ForkGuard Guard;                        ///< last: uses the others
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAMCACHE_H
