//===- Cache/SourceCache.h - cached compiles of sources ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Returns the shared object of a source and compiles it on a miss. The key is
// made of content: the source, all headers, flags, target, compiler. So that a
// hit needs no preprocessor, the cache keeps a *recipe* beside the objects: the
// headers and their digests for this source, these flags and these search
// paths. If all of them are unchanged, the key is known at once; otherwise the
// compiler lists the headers again.
//
// The recipe also lists the paths at which the compiler found no header, so
// that a new header there is noticed. See docs/format/jit-cache.md,
// "Inputs of a compile".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_SOURCECACHE_H
#define KPACK_JIT_EXECUTOR_CACHE_SOURCECACHE_H

#include "Jit/Executor/Cache/Cache.h"
#include "Jit/Service/Compile.h"

#include <atomic>

namespace kpack::jit {

/// The results that a get() may return.
enum class Freshness {
  Any,   ///< the cached entry; compiled if there is none
  There, ///< the cached entry, else KernelNotFound; never compiles
  New,   ///< compiled now; replaces the cached entry
  Own,   ///< compiled now for this caller; nothing is looked up or stored
};

/// Thread-safe.
class SourceCache {
public:
  /// \p Where must outlive this object. \p Processor identifies the machine's
  /// processor: any text that differs where "-march=native" does. Empty: detect
  /// it.
  SourceCache(Cache &Where, CompileService Service, std::string Processor = {})
      : Where(Where), Service(std::move(Service)),
        Processor(std::move(Processor)) {}

  /// Creates the object with its cache. Errors: those of Cache::open().
  static Result<std::unique_ptr<SourceCache>> open(CacheOptions Options,
                                                   CompileService Service);

  Cache &cache() const { return Where; }
  const CompileService &service() const { return Service; }

  /// Later compiles stop after the front end: get() of an entry that is not
  /// cached then fails with KernelNotFound if the front end accepts it. Call
  /// before the first get().
  void setDryRun(bool IsDry) { IsDryRun = IsDry; }

  /// Errors: of CompileService, Cache and sha256OfFile.
  Result<StoredEntry> get(const CompileRequest &Request,
                          Freshness Wanted = Freshness::Any);

  /// Returns the content key of \p Request, for explain(). Compiles nothing,
  /// but may run the preprocessor to list headers.
  Result<KeyRecord> key(const CompileRequest &Request);

  /// Returns the processor time of the last compile of get(); see Product.
  double lastCpuSeconds() const { return LastCpuSeconds; }

  /// Returns the key that get() would look up, and the cached entry nearest to
  /// it.
  Result<std::pair<KeyRecord, std::optional<NearestEntry>>>
  nearest(const CompileRequest &Request);

  /// Returns the source and all files that it includes, for a build system;
  /// runs the preprocessor as key() does.
  Result<std::vector<std::string>> files(const CompileRequest &Request);

private:
  class Inputs;
  Result<Inputs> inputs(const CompileRequest &Request,
                        Freshness Wanted = Freshness::Any);
  /// Returns digits that identify the machine's processor.
  std::string machine() const;
  /// Returns machine() if \p Request is compiled for it; else empty.
  std::string getMachine(const CompileRequest &Request) const;
  Result<Product> compile(const CompileRequest &Request,
                          const PchPlace &Headers);

  std::unique_ptr<Cache> Own; ///< null if the caller owns the cache
  Cache &Where;
  CompileService Service;
  const std::string Processor;
  bool IsDryRun = false;
  std::atomic<double> LastCpuSeconds{0};
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_SOURCECACHE_H
