//===- KernelLibraryTest.cpp - tests of kernels loaded by key -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kpack/KernelLibrary.h"

#include "../Runtime/RuntimeFixture.h"

#include <atomic>
#include <set>
#include <thread>

using namespace kpack;
using kpack::testing::RuntimeFixture;

namespace {

/// What a device would hold. Shared by the copies of a loader.
struct FakeDevice {
  std::mutex Lock;
  std::multiset<std::string> Loaded; // contents
  unsigned Loads = 0;
};

struct FakeLoader {
  using Module = std::string;
  std::shared_ptr<FakeDevice> Device = std::make_shared<FakeDevice>();

  Result<Module> load(const std::string &Key, const void *Code, size_t Size) {
    std::string Content(static_cast<const char *>(Code), Size);
    if (Content == "bad")
      return Status(StatusCode::InvalidFormat, Key + ": not a code object");
    std::lock_guard<std::mutex> Guard(Device->Lock);
    Device->Loaded.insert(Content);
    ++Device->Loads;
    return Content;
  }
  void unload(const Module &M) {
    std::lock_guard<std::mutex> Guard(Device->Lock);
    Device->Loaded.erase(Device->Loaded.find(M));
  }
};

using Library = KernelLibrary<FakeLoader>;

Result<Buffer> getBuffer(std::string_view Text) {
  Buffer B;
  if (!B.resize(Text.size()))
    return Status(StatusCode::OutOfMemory, "out of memory");
  std::copy(Text.begin(), Text.end(), B.data());
  return B;
}

class KernelLibraryTest : public RuntimeFixture {
protected:
  void SetUp() override {
    RuntimeFixture::SetUp();
    archive("fft_gfx90a.kpack", {{{"fft/gfx90a/8/single", "gfx90a", "eight.."},
                                  {"fft/gfx90a/16/single", "gfx90a", "sixteen"},
                                  {"fft/gfx90a/32/single", "gfx90a", "32....."},
                                  {"fft/gfx90a/64/single", "gfx90a", "bad"},
                                  {"fft/common", "gfx90a", "common."}}});
    Options.Archives = {path("fft_@GFXARCH@.kpack")};
    Options.Targets = {"gfx90a:xnack-", "gfx90a"};
  }

  std::unique_ptr<Library> open() {
    Result<std::unique_ptr<Library>> L = Library::open(Options, Loader);
    EXPECT_TRUE(L.ok()) << L.status().message();
    return std::move(*L);
  }

  static std::string key(int Length) {
    return kernelKey("fft", ArchPlaceholder, Length, "single");
  }

  FakeDevice &device() { return *Loader.Device; }

  KernelLibraryOptions Options;
  FakeLoader Loader;
};

TEST(KernelKey, JoinsTextsAndNumbers) {
  EXPECT_EQ(kernelKey("gemm"), "gemm");
  EXPECT_EQ(kernelKey("blas", std::string("gfx90a"), -1, 7u, uint64_t(1) << 40),
            "blas/gfx90a/-1/7/1099511627776");
}

TEST_F(KernelLibraryTest, LoadsOnceAtTheFirstUse) {
  std::unique_ptr<Library> L = open();
  EXPECT_EQ(device().Loads, 0u);
  for (int I = 0; I != 3; ++I) {
    Result<Library::Kernel> K = L->get(key(8));
    ASSERT_TRUE(K.ok()) << K.status().message();
    EXPECT_EQ(K->module(), "eight..");
  }
  EXPECT_EQ(device().Loads, 1u);
  EXPECT_EQ(L->stats().Hits, 2u);
  EXPECT_EQ(L->stats().LoadedBytes, 7u);
  L.reset();
  EXPECT_TRUE(device().Loaded.empty());
}

TEST_F(KernelLibraryTest, HasDoesNotLoad) {
  std::unique_ptr<Library> L = open();
  EXPECT_TRUE(L->has(key(8)));
  EXPECT_FALSE(L->has(key(7)));
  EXPECT_EQ(device().Loads, 0u);
}

TEST_F(KernelLibraryTest, AKeyWithoutArchitectureIsTakenAsItIs) {
  EXPECT_EQ(open()->get("fft/common")->module(), "common.");
}

TEST_F(KernelLibraryTest, ABetterTargetWins) {
  archive("fft_gfx90a:xnack-.kpack",
          {{{"fft/gfx90a:xnack-/8/single", "gfx90a:xnack-", "better"}}});
  std::unique_ptr<Library> L = open();
  EXPECT_EQ(L->get(key(8))->module(), "better");
  EXPECT_EQ(L->get(key(16))->module(), "sixteen");
}

TEST_F(KernelLibraryTest, UnloadsTheLeastRecentlyUsed) {
  Options.ByteBudget = 14;
  std::unique_ptr<Library> L = open();
  ASSERT_TRUE(L->get(key(8)).ok());
  ASSERT_TRUE(L->get(key(16)).ok());
  ASSERT_TRUE(L->get(key(8)).ok());
  ASSERT_TRUE(L->get(key(32)).ok());
  EXPECT_EQ(device().Loaded,
            (std::multiset<std::string>{"eight..", "32....."}));
  EXPECT_EQ(L->stats().Evictions, 1u);
  EXPECT_EQ(L->stats().LoadedBytes, 14u);
  EXPECT_EQ(L->get(key(16))->module(), "sixteen");
  EXPECT_EQ(device().Loads, 4u);
}

TEST_F(KernelLibraryTest, AKernelInUseStaysLoaded) {
  Options.ByteBudget = 7;
  std::unique_ptr<Library> L = open();
  Result<Library::Kernel> InUse = L->get(key(8));
  ASSERT_TRUE(L->get(key(16)).ok());
  EXPECT_EQ(device().Loaded.count("eight.."), 1u);
  EXPECT_EQ(L->get(key(8))->module(), "eight..");
  EXPECT_EQ(device().Loads, 2u); // not a third time
  L.reset();
  EXPECT_EQ(device().Loaded.count("eight.."), 1u);
  EXPECT_EQ(InUse->module(), "eight..");
  InUse = Status(StatusCode::KernelNotFound, "");
  EXPECT_TRUE(device().Loaded.empty());
}

TEST_F(KernelLibraryTest, KernelLargerThanTheBudgetIsLoaded) {
  Options.ByteBudget = 1;
  std::unique_ptr<Library> L = open();
  EXPECT_EQ(L->get(key(8))->module(), "eight..");
  EXPECT_EQ(L->get(key(16))->module(), "sixteen");
  EXPECT_EQ(device().Loaded, (std::multiset<std::string>{"sixteen"}));
}

TEST_F(KernelLibraryTest, PreloadedKernelsAreLoadedAtOpen) {
  Options.Preload = {key(16), key(8)};
  std::unique_ptr<Library> L = open();
  EXPECT_EQ(device().Loads, 2u);
  EXPECT_TRUE(L->get(key(8)).ok());
  EXPECT_EQ(device().Loads, 2u);
  Options.Preload = {key(16), key(7), key(8)};
  Result<std::unique_ptr<Library>> Bad = Library::open(Options, Loader);
  ASSERT_FALSE(Bad.ok());
  EXPECT_EQ(Bad.status().code(), StatusCode::KernelNotFound);
}

TEST_F(KernelLibraryTest, MissingKernelNamesTheArchives) {
  std::unique_ptr<Library> L = open();
  Result<Library::Kernel> K = L->get(key(7));
  ASSERT_FALSE(K.ok());
  EXPECT_EQ(K.status().code(), StatusCode::KernelNotFound);
  EXPECT_EQ(K.status().message(),
            "no archive has kernel 'fft/@GFXARCH@/7/single' for this device");
  EXPECT_EQ(L->get(key(64)).status().code(), StatusCode::InvalidFormat);

  Options.Targets = {"gfx1100"};
  Result<std::unique_ptr<Library>> None = Library::open(Options, Loader);
  ASSERT_FALSE(None.ok());
  EXPECT_EQ(None.status().code(), StatusCode::ArchiveNotFound);
  EXPECT_EQ(None.status().message().find(path("fft_gfx1100.kpack")), 0u);

  file("fft_gfx1100.kpack", "no archive");
  EXPECT_EQ(Library::open(Options, Loader).status().code(),
            StatusCode::InvalidFormat);
}

TEST_F(KernelLibraryTest, MissingKernelComesFromTheLegacyDatabase) {
  unsigned Asked = 0;
  Options.Legacy = [&](const std::string &Key) -> Result<Buffer> {
    ++Asked;
    if (Key == key(7))
      return getBuffer("seven");
    return Status(StatusCode::KernelNotFound, Key + ": not in the database");
  };
  std::unique_ptr<Library> L = open();
  EXPECT_EQ(L->get(key(8))->module(), "eight..");
  EXPECT_EQ(Asked, 0u);
  EXPECT_EQ(L->get(key(7))->module(), "seven");
  EXPECT_EQ(L->get(key(7))->module(), "seven");
  EXPECT_EQ(Asked, 1u);
  EXPECT_EQ(L->stats().LegacyLoads, 1u);
  EXPECT_EQ(L->get(key(9)).status().message(),
            key(9) + ": not in the database");

  Options.Targets = {"gfx1100"}; // no archive at all
  EXPECT_EQ(open()->get(key(7))->module(), "seven");
}

TEST_F(KernelLibraryTest, DamagedArchiveFallsBackToTheDatabase) {
  std::string Bytes = contents(path("fft_gfx90a.kpack"));
  for (size_t I = 64 + 8; I != 64 + 8 + 7; ++I)
    Bytes[I] ^= 0x55; // the first frame
  file("fft_gfx90a.kpack", Bytes);
  EXPECT_FALSE(open()->get(key(8)).ok());
  Options.Legacy = [](const std::string &) { return getBuffer("old"); };
  EXPECT_EQ(open()->get(key(8))->module(), "old");
}

TEST_F(KernelLibraryTest, AFailureIsTriedAgain) {
  bool Works = false;
  Options.Legacy = [&](const std::string &Key) -> Result<Buffer> {
    if (Works)
      return getBuffer("now");
    return Status(StatusCode::IoError, Key + ": busy");
  };
  std::unique_ptr<Library> L = open();
  EXPECT_EQ(L->get(key(7)).status().code(), StatusCode::IoError);
  Works = true;
  EXPECT_EQ(L->get(key(7))->module(), "now");
}

TEST_F(KernelLibraryTest, ThreadsShareWhatIsLoaded) {
  std::unique_ptr<Library> L = open();
  std::atomic<unsigned> Wrong{0};
  std::vector<std::thread> Threads;
  for (unsigned T = 0; T != 8; ++T)
    Threads.emplace_back([&] {
      for (int Length : {8, 16, 32, 8, 16})
        Wrong += !L->get(key(Length)).ok();
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong, 0u);
  EXPECT_EQ(device().Loads, 3u); // each once, whoever came first
}

TEST_F(KernelLibraryTest, ThreadsCompeteForRoom) {
  Options.ByteBudget = 7;
  std::unique_ptr<Library> L = open();
  std::atomic<unsigned> Wrong{0};
  std::vector<std::thread> Threads;
  for (unsigned T = 0; T != 6; ++T)
    Threads.emplace_back([&, T] {
      const int Lengths[] = {8, 16, 32, 7};
      const char *const Contents[] = {"eight..", "sixteen", "32....."};
      for (unsigned Round = 0; Round != 200; ++Round) {
        const unsigned I = (Round * 7 + T) % 4;
        Result<Library::Kernel> K = L->get(key(Lengths[I]));
        Wrong += I == 3 ? K.ok() : !K.ok() || K->module() != Contents[I];
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong, 0u);
  ASSERT_TRUE(L->get(key(8)).ok());
  EXPECT_LE(L->stats().LoadedBytes, 21u);
  L.reset();
  EXPECT_TRUE(device().Loaded.empty());
}

} // namespace
