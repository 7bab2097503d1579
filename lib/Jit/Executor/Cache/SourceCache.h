//===- Executor/Cache/SourceCache.h - sources through the cache -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives the shared object of a source, compiled if nobody has it. Its key is
// made of content: the source, all headers, flags, target, compiler. So that a
// hit needs no preprocessor, a *recipe* is kept beside the objects: for this
// source, these flags and these search paths, the headers were those, with
// their digests. Where all of them are as they were, the key is known at once;
// else the compiler is asked which headers there are.
//
// The recipe also has where the compiler looked in vain: a header that appears
// there is noticed. docs/format/jit-cache.md, "What a compile reads".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_SOURCECACHE_H
#define KPACK_JIT_EXECUTOR_CACHE_SOURCECACHE_H

#include "Jit/Executor/Cache/Cache.h"
#include "Jit/Service/Compile.h"

#include <atomic>

namespace kpack::jit {

/// What a get() may give.
enum class Freshness {
  Any,   ///< what the cache has, compiled where it has none
  There, ///< what the cache has; else KernelNotFound, and nobody is asked
  New,   ///< compiled now, in the place of what the cache has
  Own,   ///< compiled now, for the caller alone: nothing is looked up or kept
};

/// Thread-safe.
class SourceCache {
public:
  /// \p Where outlives this object. \p Processor: the machine's, as any text
  /// that differs where "-march=native" does; empty: this one's.
  SourceCache(Cache &Where, CompileService Service, std::string Processor = {})
      : Where(Where), Service(std::move(Service)),
        Processor(std::move(Processor)) {}

  /// With a cache of its own. Errors: of Cache::open().
  static Result<std::unique_ptr<SourceCache>> open(CacheOptions Options,
                                                   CompileService Service);

  Cache &cache() const { return Where; }
  const CompileService &service() const { return Service; }

  /// From now on nothing is compiled further than by the front end: get() of
  /// what is not cached gives KernelNotFound where it is content. Before the
  /// first get().
  void setDryRun(bool IsDry) { IsDryRun = IsDry; }

  /// Errors: of CompileService, Cache and sha256OfFile.
  Result<StoredEntry> get(const CompileRequest &Request,
                          Freshness Wanted = Freshness::Any);

  /// The content key of \p Request, for explain(): nothing is compiled, but
  /// what is unknown about headers is found out.
  Result<KeyRecord> key(const CompileRequest &Request);

  /// Processor time of the last compile that get() has run, see Product.
  double lastCpuSeconds() const { return LastCpuSeconds; }

  /// What the cache has that is nearest to what get() would look for, and that
  /// key.
  Result<std::pair<KeyRecord, std::optional<NearestEntry>>>
  nearest(const CompileRequest &Request);

  /// The source and all files that it includes, for a build system; found out
  /// as for key().
  Result<std::vector<std::string>> files(const CompileRequest &Request);

private:
  class Inputs;
  Result<Inputs> inputs(const CompileRequest &Request,
                        Freshness Wanted = Freshness::Any);
  /// Digits for the machine's processor.
  std::string machine() const;
  /// Those if \p Request is compiled for it; else empty.
  std::string machineOf(const CompileRequest &Request) const;
  Result<Product> compile(const CompileRequest &Request,
                          const PchPlace &Headers);

  std::unique_ptr<Cache> Own; ///< null: somebody else's
  Cache &Where;
  CompileService Service;
  const std::string Processor;
  bool IsDryRun = false;
  std::atomic<double> LastCpuSeconds{0};
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_SOURCECACHE_H
