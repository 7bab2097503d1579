//===- Executor/Programs/ProgramCache.h - programs in memory ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tier of a cache that is memory: programs that this process has loaded, by
// what was asked for. The layers below know a source by all that its compile
// reads, and look at those files each time; here the request alone is compared,
// so that a program stays what it was when it was first loaded, as code that is
// linked in does. Of several threads that ask for one program at once, one
// compiles and loads it, and all get the same; different ones do not wait for
// each other.
//
// When there are too many the least recently used go; those that somebody holds
// live on without being found.
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

/// What of a request tells it from others: all of it.
Digest digestOf(const CompileRequest &Request);

/// Thread-safe.
class ProgramCache {
public:
  /// \p Sources outlives this object. \p Capacity: programs that are kept; 0:
  /// none, each get() then loads one of its own.
  ProgramCache(SourceCache &Sources, size_t Capacity);

  /// Shown what each request has given, before it is loaded; its errors are
  /// get()'s. Before the first get().
  using Observer =
      std::function<Status(const CompileRequest &, const StoredEntry &)>;
  void setObserver(Observer Shown) { Show = std::move(Shown); }

  /// The program, compiled where nobody has it. With Freshness::Own one that
  /// nobody else gets; with Freshness::There without waiting for one that is
  /// being made. Errors: of SourceCache::get() and Program::load().
  Result<ProgramRef> get(const CompileRequest &Request,
                         Freshness Wanted = Freshness::Any);
  /// The one in memory, or none: never waits for a compile.
  ProgramRef peek(const CompileRequest &Request);

  /// The same of what was asked for in these \p Words, a digest of them, which
  /// remember() has been told: nobody makes a request of them again.
  ProgramRef known(const Digest &Words);
  /// That \p Words mean \p Request, today and for as long as this cache lives.
  void remember(const Digest &Words, const CompileRequest &Request);

  /// Loads all programs that the cache's files hold; a get() that finds one of
  /// those there has it loaded. How many there are.
  size_t preload();

  /// Forgets all; who holds one keeps it.
  void clear();
  size_t size() const;

private:
  struct Slot {
    std::mutex Loading; ///< held while it is compiled and loaded
    std::atomic<bool> IsReplaced{false}; ///< compiled, whatever files have
    // Guarded by the cache's lock:
    unsigned Users = 0; ///< threads in get()
    ProgramRef Program;
    std::list<Digest>::iterator Use; ///< in Order
  };
  using SlotRef = std::shared_ptr<Slot>;

  SlotRef slot(const Digest &Id);
  ProgramRef programOf(const Slot &Place) const;
  void keep(Slot &Place, const ProgramRef &Made);
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
  std::map<Digest, Digest> RequestOf;     ///< what words mean
  std::list<Digest> Order;                ///< most recently used first
  ForkGuard Guard;                        ///< last: uses the others
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAMCACHE_H
