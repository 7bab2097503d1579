//===- CApiFiles.cpp - C API: all files of a cache ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on all files of a cache: preload, limit, remove, export and
// import. kpack-jit-remote reads and writes bundles, so that no library for
// bundles is loaded into the process.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/CApi/Handles.h"

#include "Jit/Executor/CApi/Recording.h"

#include "Jit/Executor/CApi/BundleTransfer.h"

#include <thread>

using namespace kpack;
using namespace kpack::capi;
using namespace kpack::jit;

kpack_jit_status kpack_jit_cache_preload(kpack_jit_cache *Where,
                                         uint64_t *Programs) {
  if (!Where)
    return failArgument("kpack_jit_cache_preload: a cache is needed");
  return guarded([&] {
    size_t Count = Where->Programs->preload();
    if (Programs)
      *Programs = Count;
    return KPACK_JIT_SUCCESS;
  });
}

/// Gets all \p Requests with several threads. Returns the first failure.
static Status prepareAll(ProgramCache &Programs,
                         const std::vector<CompileRequest> &Requests) {
  std::atomic<size_t> Next{0};
  std::vector<Status> Outcomes(Requests.size());
  auto Work = [&] {
    for (size_t I; (I = Next++) < Requests.size();)
      Outcomes[I] = Programs.get(Requests[I]).status();
  };
  std::vector<std::thread> Threads(std::min<size_t>(
      Requests.size(), std::max(1u, std::thread::hardware_concurrency())));
  for (std::thread &T : Threads)
    T = std::thread(Work);
  for (std::thread &T : Threads)
    T.join();
  for (const Status &Each : Outcomes)
    if (!Each.ok())
      return Each;
  return Status::success();
}

kpack_jit_status kpack_jit_cache_prepare(kpack_jit_cache *Where,
                                         const char *Path, uint64_t *Programs) {
  if (!Where || !Path || !*Path)
    return failArgument("kpack_jit_cache_prepare: a cache and a path are "
                        "needed");
  return guarded([&] {
    Result<std::vector<CompileRequest>> Recorded = recordedIn(Path);
    if (!Recorded)
      return fail(Recorded.status());
    if (Status Done = prepareAll(*Where->Programs, *Recorded); !Done.ok())
      return failCompile(Done);
    if (Programs)
      *Programs = Recorded->size();
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_cache_prune(kpack_jit_cache *Where) {
  if (!Where)
    return failArgument("kpack_jit_cache_prune: a cache is needed");
  return guarded([&] {
    Status Done = Where->Sources->cache().prune();
    return Done.ok() ? KPACK_JIT_SUCCESS : fail(Done);
  });
}

kpack_jit_status kpack_jit_cache_clear(kpack_jit_cache *Where) {
  if (!Where)
    return failArgument("kpack_jit_cache_clear: a cache is needed");
  return guarded([&] {
    Where->Programs->clear();
    Status Done = Where->Sources->cache().clear();
    return Done.ok() ? KPACK_JIT_SUCCESS : fail(Done);
  });
}

static kpack_jit_status transfer(kpack_jit_cache *Where, BundleWay Way,
                                 const char *Path, uint64_t *Entries) {
  return guarded([&] {
    Cache &Files = Where->Sources->cache();
    Result<uint64_t> Count =
        transferBundle(Where->RemoteHelper,
                       Way == BundleWay::Import ? Files.writableDirectory()
                                                : Files.directory(),
                       Way, Path);
    if (!Count)
      return fail(Count.status());
    if (Entries)
      *Entries = *Count;
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_cache_export(kpack_jit_cache *Where,
                                        const char *Path, uint64_t *Entries) {
  if (!Where || !Path || !*Path)
    return failArgument("kpack_jit_cache_export: a cache and a path are "
                        "needed");
  return transfer(Where, BundleWay::Export, Path, Entries);
}

kpack_jit_status kpack_jit_cache_import(kpack_jit_cache *Where,
                                        const char *Path, uint64_t *Entries) {
  if (!Where || !Path || !*Path)
    return failArgument("kpack_jit_cache_import: a cache and a path are "
                        "needed");
  return transfer(Where, BundleWay::Import, Path, Entries);
}
