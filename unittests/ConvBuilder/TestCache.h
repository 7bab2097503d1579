//===- TestCache.h - cache of kernels for tests -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options for ConvKernel::compile(): the helper and the compiler of the build,
// and a cache that goes away with the process. For programs with and without
// GoogleTest.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_TESTCACHE_H
#define KPACK_UNITTESTS_CONVBUILDER_TESTCACHE_H

#include "kpack/Jit/Executor.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace kpack::conv {

class TestCache {
public:
  static const TestCache &only() {
    static TestCache Only;
    return Only;
  }
  jit::Options With;
  std::string Folder;

private:
  TestCache() {
    ::setenv("KPACK_JIT_COMPILER", CONV_TEST_COMPILER, 1);
    std::string Pattern =
        std::filesystem::temp_directory_path() / "kpack-conv-XXXXXX";
    const char *Created = ::mkdtemp(Pattern.data());
    Folder = Created ? Created : "";
    Result<jit::Cache> Opened =
        jit::Cache::open({.directory = Folder,
                          .compile_helper = CONV_TEST_HELPER,
                          .on_event = [](const kpack_jit_event *, void *) {}});
    if (!Created || !Opened) {
      std::fprintf(stderr, "no cache for tests: %s\n",
                   Opened.status().message().c_str());
      std::abort();
    }
    With.cache = *Opened;
  }
  ~TestCache() {
    With.cache.reset();
    std::error_code Ignored;
    std::filesystem::remove_all(Folder, Ignored);
  }
};

inline const jit::Options &testOptions() { return TestCache::only().With; }
inline const std::string &testFolder() { return TestCache::only().Folder; }

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_TESTCACHE_H
