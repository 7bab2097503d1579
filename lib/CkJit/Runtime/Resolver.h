//===- Resolver.h - compile and load of a called kernel ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The slow path of libckjit: gets the shared object of a slot's blob from the
// cache (BlobFinder.h), loads it, and remembers failures and the time of the
// next try. One object for each process, made by the first call and never
// destroyed: stubs may be called at the end of a program.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_RUNTIME_RESOLVER_H
#define KPACK_LIB_CKJIT_RUNTIME_RESOLVER_H

#include "BlobFinder.h"

#include "Jit/Executor/Cache/Progress.h"
#include "Jit/Executor/Cache/RetryPause.h"
#include "Jit/Executor/Cache/SourceCache.h"
#include "Jit/Executor/Load.h"

#include <deque>

namespace kpack::ckjit {

/// Settings that the C API may set before the first call.
struct Choices {
  std::string CacheDir;
  std::string Target;
};

class Resolver {
public:
  explicit Resolver(const Choices &Chosen);

  /// Returns null and sets \p Why if there is no such function.
  void *resolve(ck_jit_slot &Slot, const ck_jit_failure *&Why);

  ck_jit_statistics statistics();

private:
  struct Blob {
    std::mutex Lock;
    std::optional<jit::LoadedCode> Code;
    const ck_jit_failure *Failed = nullptr;
    jit::RetryPause Pause{std::chrono::seconds(1), std::chrono::minutes(1)};
  };

  struct KeptFailure {
    std::string Blob, Symbol, Message;
    ck_jit_failure Shown; ///< points to these
  };

  Result<void *> attempt(Blob &B, const ck_jit_slot &Slot);
  /// Exports only \p Symbol, unless it is empty.
  Result<jit::LoadedCode> load(const ck_jit_slot &Slot,
                               const std::string &Symbol);
  Status noEntry(const Status &Why, const ck_jit_slot &Slot,
                 const FoundBlob &Blob, const jit::CompileRequest &Wanted);
  void record(const std::string &Stem) const;
  Result<std::unique_ptr<jit::SourceCache>>
  openCache(const std::string &Directory);
  Result<jit::SourceCache *> getCache(const ck_jit_manifest &Manifest);
  const ck_jit_failure *keep(const ck_jit_slot &Slot, const Status &Why);
  void forgetThreads();

  Settings Config;
  std::string Helper;

  std::mutex Lock; ///< guards all up to Resolved
  std::map<std::pair<const ck_jit_manifest *, std::string>,
           std::unique_ptr<Blob>>
      Blobs;
  std::map<std::string, std::unique_ptr<jit::SourceCache>> Caches;
  std::deque<KeptFailure> Failures; ///< never moved: callers keep pointers
  uint64_t Resolved = 0;
  ForkGuard Guard; ///< constructed before those of objects that are called
                   ///< under the lock

  jit::Progress Display; ///< resolve() reports failures, once
  BlobFinder Finder;
};

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_RUNTIME_RESOLVER_H
