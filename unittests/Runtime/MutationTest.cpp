//===- MutationTest.cpp - tests on mutated archives and markers -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mutates an archive of each scheme and a marker, and loads every code object
// through the C API. Every outcome is right except a crash, a hang, or success
// with bytes for which nobody asked. KPACK_TEST_MUTATIONS sets the number of
// mutants; the seed is fixed, so that a failure can be repeated.
//
//===----------------------------------------------------------------------===//
#include "RocmKpackFixture.h"

#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::testing;

namespace {

class Mutation : public RocmKpackFixture {
protected:
  static int count() {
    const char *Wanted = std::getenv("KPACK_TEST_MUTATIONS");
    return Wanted ? std::atoi(Wanted) : 3000;
  }

  size_t below(size_t Limit) { return Random() % Limit; }

  /// Changes, repeats, removes or inserts bytes, mostly a few.
  std::string mutated(std::string Bytes) {
    for (size_t Changes = 1 + below(4); Changes != 0; --Changes) {
      size_t At = below(Bytes.size());
      size_t Size = std::min(Bytes.size() - At, 1 + below(12));
      switch (below(6)) {
      case 0:
        Bytes[At] = static_cast<char>(Random());
        break;
      case 1:
        Bytes[At] ^= static_cast<char>(1u << below(8));
        break;
      case 2: // numbers at their limits
        Bytes.replace(At, Size, Size, below(2) ? '\xff' : '\0');
        break;
      case 3:
        Bytes.insert(At, Bytes.substr(below(Bytes.size()), Size));
        break;
      case 4:
        if (Size < Bytes.size())
          Bytes.erase(At, Size);
        break;
      default:
        Bytes.resize(1 + At);
        break;
      }
    }
    return Bytes;
  }

  std::minstd_rand Random{20260220};
};

} // namespace

TEST_F(Mutation, ArchivesNeverCrashTheLoader) {
  ArchiveSpec Spec;
  for (const char *Arch : {"gfx942", "gfx90a:xnack+"})
    for (int I = 0; I != 3; ++I)
      Spec.Kernels.push_back(
          {"app#" + std::to_string(I), Arch, Arch + std::string(300 + I, 'k')});
  Spec.Ids = {{"app", "build 1"}};
  Spec.Scheme = CompressionScheme::None;
  std::string Good[] = {contents(archive("none.kpack", Spec)), ""};
  Spec.Scheme = CompressionScheme::ZstdPerKernel;
  Good[1] = contents(archive("zstd.kpack", Spec));

  std::string Path = path("x.kpack");
  std::string M = marker("app", {Path}, "build 1");
  int Served = 0, Refused = 0;
  ::testing::internal::CaptureStderr();
  for (int I = 0, E = count(); I != E; ++I) {
    file("x.kpack", mutated(Good[I % 2]));
    Cache C = newCache();
    for (uint32_t Index : {0u, 2u}) {
      Loaded L = load(C, M, {"gfx942", "gfx90a:sramecc+:xnack+"}, Index);
      ++(L.Error == KPACK_SUCCESS ? Served : Refused);
      EXPECT_LE(L.Error, KPACK_ERROR_ARCH_NOT_FOUND);
      EXPECT_LE(L.Bytes.size(), 1u << 20);
    }
    kpack_enumerate_architectures(
        Path.c_str(), [](const char *A, void *) { return A[0] != '\0'; },
        nullptr);
  }
  ::testing::internal::GetCapturedStderr();
  EXPECT_GT(Served, 0);
  EXPECT_GT(Refused, 0);
}

TEST_F(Mutation, MarkersNeverCrashTheLoader) {
  archive("x_gfx942.kpack", {{{"app#0", "gfx942", "code"}}});
  const std::string Good =
      marker("app", {"../x_@GFXARCH@.kpack", "y.kpack"}, "build 1");
  // At the very end of readable memory.
  const size_t Page = sysconf(_SC_PAGESIZE);
  char *Start =
      static_cast<char *>(mmap(nullptr, 2 * Page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(Start, MAP_FAILED);
  ASSERT_EQ(mprotect(Start + Page, Page, PROT_NONE), 0);
  Cache C = newCache();
  const std::string Binary = path("bin/app");
  const char *Archs[] = {"gfx942"};
  int Served = 0, Refused = 0;
  ::testing::internal::CaptureStderr();
  for (int I = 0, E = count(); I != E; ++I) {
    std::string M = mutated(Good);
    ASSERT_LT(M.size(), Page);
    char *At = Start + Page - M.size();
    memcpy(At, M.data(), M.size());
    void *Bytes = nullptr;
    size_t Size = 0;
    kpack_error_t Error = kpack_load_code_object(C.get(), At, Binary.c_str(), 0,
                                                 Archs, 1, &Bytes, &Size);
    ++(Error == KPACK_SUCCESS ? Served : Refused);
    if (Error == KPACK_SUCCESS) {
      EXPECT_EQ(std::string(static_cast<char *>(Bytes), Size), "code");
    }
    kpack_free_code_object(Bytes);
  }
  ::testing::internal::GetCapturedStderr();
  munmap(Start, 2 * Page);
  EXPECT_GT(Served, 0);
  EXPECT_GT(Refused, 0);
}
