//===- MemoryTest.cpp - tests of librocm_kpack.so without memory ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets each allocation of a call fail in turn: every call must come back with
// success or with an error number, never with an exception, and the next call
// must work. operator new of this program is that of the library too.
//
//===----------------------------------------------------------------------===//
#include "RocmKpackFixture.h"
#include "ScarceMemory.h"

#include <new>

using namespace kpack;
using namespace kpack::testing;

namespace {

class WithoutMemory : public RocmKpackFixture {
protected:
  /// Runs \p Call with its first, second, ... allocation failing until it
  /// needs no more, and returns how many that were.
  template <typename Function> static int failEach(Function Call) {
    for (int Allowed = 0;; ++Allowed) {
      Countdown = Allowed;
      kpack_error_t Error = Call();
      bool Failed = Countdown < 0;
      Countdown = -1;
      if (!Failed) {
        EXPECT_EQ(Error, KPACK_SUCCESS);
        return Allowed;
      }
      // A retry inside the call may have helped.
      if (Error != KPACK_SUCCESS) {
        EXPECT_EQ(Error, KPACK_ERROR_OUT_OF_MEMORY) << "allocation " << Allowed;
      }
    }
  }

  std::string sample() {
    return archive(
        "x_gfx942.kpack",
        {{{"app#0", "gfx942", std::string(5000, 'x')},
          {"a rather long name of another binary#0", "gfx942", "y"}}});
  }
};

} // namespace

TEST_F(WithoutMemory, OpenAndQuery) {
  std::string Path = sample();
  EXPECT_GT(failEach([&] {
              kpack_archive_t A = nullptr;
              kpack_error_t Error = kpack_open(Path.c_str(), &A);
              kpack_close(A);
              return Error;
            }),
            3);
  kpack_archive_t A = nullptr;
  ASSERT_EQ(kpack_open(Path.c_str(), &A), KPACK_SUCCESS);
  const char *Name = nullptr;
  EXPECT_GT(failEach([&] { return kpack_get_binary(A, 0, &Name); }), 0);
  EXPECT_STREQ(Name, "a rather long name of another binary#0");
  failEach([&] {
    void *Bytes = nullptr;
    size_t Size = 0;
    kpack_error_t Error = kpack_get_kernel(A, "app#0", "gfx942", &Bytes, &Size);
    kpack_free_kernel(Bytes);
    return Error;
  });
  kpack_close(A);
}

TEST_F(WithoutMemory, EnumerateReportsFailedAllocations) {
  std::string Path = sample();
  EXPECT_GT(failEach([&] {
              return kpack_enumerate_architectures(
                  Path.c_str(), [](const char *, void *) { return true; },
                  nullptr);
            }),
            3);
}

TEST_F(WithoutMemory, CreateACache) {
  set("ROCM_KPACK_PATH", "/a rather long path/to some archive.kpack");
  EXPECT_GT(failEach([] {
              kpack_cache_t C = nullptr;
              kpack_error_t Error = kpack_cache_create(&C);
              kpack_cache_destroy(C);
              return Error;
            }),
            1);
}

TEST_F(WithoutMemory, DiscoverAPath) {
  EXPECT_GT(failEach([] {
              char Buffer[4096];
              return kpack_discover_binary_path(
                  reinterpret_cast<const void *>(&clearEnvironment), Buffer,
                  sizeof(Buffer), nullptr);
            }),
            0);
}

TEST_F(WithoutMemory, LoadReportsFailedAllocations) {
  sample();
  std::string M = marker("app", {"../x_@GFXARCH@.kpack"});
  std::string Binary = path("bin/app");
  const char *Archs[] = {"gfx942:sramecc+:xnack-"};
  ::testing::internal::CaptureStderr();
  // A new cache each time: from nothing; and then one that goes on living.
  for (bool Fresh : {true, false}) {
    Cache Kept = newCache();
    failEach([&] {
      int Allowed = std::exchange(Countdown, -1);
      if (Fresh)
        Kept = newCache();
      Countdown = Allowed;
      void *Bytes = nullptr;
      size_t Size = 0;
      kpack_error_t Error = kpack_load_code_object(
          Kept.get(), M.data(), Binary.c_str(), 0, Archs, 1, &Bytes, &Size);
      if (Error == KPACK_SUCCESS) {
        EXPECT_EQ(Size, 5000u);
      }
      kpack_free_code_object(Bytes);
      return Error;
    });
  }
  ::testing::internal::GetCapturedStderr();
}
