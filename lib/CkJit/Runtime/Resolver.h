//===- Resolver.h - from a slot to a function -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cold path of libckjit: finds the blob of a slot, asks the cache for its
// shared object, loads it, remembers failures and when to try again. One for
// each process, made with the first call and never destroyed: stubs may be
// called while a program ends.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_RUNTIME_RESOLVER_H
#define KPACK_LIB_CKJIT_RUNTIME_RESOLVER_H

#include "kpack/CkJit/Runtime/Request.h"
#include "kpack/CkJit/Runtime/Settings.h"
#include "kpack/Jit/Executor/Load.h"
#include "kpack/Jit/Executor/Progress.h"
#include "kpack/Jit/Executor/SourceCache.h"
#include "kpack/Runtime/Devices.h"
#include "kpack/Support/ForkGuard.h"

#include <chrono>
#include <deque>
#include <map>
#include <mutex>

namespace kpack::ckjit {

/// What the C API may set before the first call.
struct Choices {
  std::string CacheDir;
  std::string Target;
};

class Resolver {
public:
  explicit Resolver(const Choices &Chosen);

  /// Null, with \p Why set, when there is no such function.
  void *resolve(ck_jit_slot &Slot, const ck_jit_failure *&Why);

  ck_jit_statistics statistics();

private:
  using Clock = std::chrono::steady_clock;

  /// An error and where it belongs in the C API.
  struct Failure {
    int Code = CK_JIT_OK;
    std::string Message;
  };
  template <typename T> struct Outcome {
    std::optional<T> Value;
    Failure Why;
  };

  /// A cache directory and what compiles into it.
  struct OpenCache {
    std::unique_ptr<jit::Cache> Cache;
    std::unique_ptr<jit::SourceCache> Sources;
  };

  struct Blob {
    std::mutex Lock;
    std::optional<jit::LoadedCode> Code;
    const ck_jit_failure *Failed = nullptr;
    Clock::time_point TryAgain;
    std::chrono::milliseconds Pause{0};
  };

  Outcome<void *> attempt(Blob &B, const ck_jit_slot &Slot);
  /// A blob, and the file it is from; null: the embedded manifest.
  struct FoundBlob {
    BlobRecord Record;
    const BlobManifest *File = nullptr;
  };

  Outcome<FoundBlob> find(const ck_jit_slot &Slot);
  /// With \p Symbol alone exported, unless it is empty.
  Outcome<jit::LoadedCode> load(const ck_jit_slot &Slot,
                                const std::string &Symbol);
  Outcome<jit::CompileRequest> request(const ck_jit_manifest &Manifest,
                                       const FoundBlob &Blob);
  std::string prebuildCommand(const ck_jit_slot &Slot, const FoundBlob &Blob,
                              const jit::CompileRequest &Wanted) const;
  void record(const std::string &Stem) const;
  std::string manifestFileOf(const ck_jit_manifest &Manifest) const;
  Outcome<std::string> target(const std::vector<std::string> &BuiltFor);
  Result<OpenCache> openCache(const std::string &Directory);
  Result<OpenCache *> cacheOf(const ck_jit_manifest &Manifest);
  const ck_jit_failure *keep(const ck_jit_slot &Slot, const Failure &Why);
  void aroundFork(ForkMoment When);

  Settings Config;
  std::string Helper;

  std::mutex Lock; ///< of all up to Resolved
  std::map<std::pair<const ck_jit_manifest *, std::string>,
           std::unique_ptr<Blob>>
      Blobs;
  std::map<std::string, OpenCache> Caches;
  /// By path; null: could not be read.
  std::map<std::string, std::unique_ptr<BlobManifest>> Files;
  std::deque<ck_jit_failure> Failures; ///< never moved: callers keep pointers
  std::deque<std::string> Texts;
  uint64_t Resolved = 0;
  ForkGuard Guard; ///< made before those of what is called with the lock

  jit::Progress Display; ///< failures are told by resolve(), once
  runtime::DeviceList Devices;
};

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_RUNTIME_RESOLVER_H
