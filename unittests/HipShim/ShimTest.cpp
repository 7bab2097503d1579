//===- ShimTest.cpp - tests of host-only binaries' registration -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test is the HIP runtime: it keeps the wrappers that it is given and reads
// their bundles. Binaries are files that hold nothing but a marker, mapped.
//
//===----------------------------------------------------------------------===//
#include "../../lib/HipShim/Shim.h"

#include "../Runtime/RuntimeFixture.h"
#include "Runtime/ReadableMemory.h"
#include "Support/MappedFile.h"

#include <cstring>
#include <map>
#include <new>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::hipshim;
using kpack::testing::RuntimeFixture;

namespace {

std::mutex RuntimeLock;
std::vector<const FatBinaryWrapper *> Given;

void **registerAtRuntime(const void *Data) {
  const auto *W = static_cast<const FatBinaryWrapper *>(Data);
  if (W->Magic != MagicHipf)
    return nullptr;
  std::lock_guard<std::mutex> Guard(RuntimeLock);
  Given.push_back(W);
  return reinterpret_cast<void **>(const_cast<FatBinaryWrapper *>(W));
}
void unregisterAtRuntime(void **) {}
constexpr HipFunctions Hip = {registerAtRuntime, unregisterAtRuntime};

/// What the runtime was given for a handle.
const char *getBundle(void **Handle) {
  return static_cast<const char *>(
      reinterpret_cast<const FatBinaryWrapper *>(Handle)->Binary);
}

uint64_t number(const char *Source) {
  uint64_t Value;
  std::memcpy(&Value, Source, sizeof(Value));
  return Value;
}

struct BundleEntry {
  uint64_t Offset, Size;
};

std::map<std::string, BundleEntry> readEntries(const char *LazyBundle) {
  std::map<std::string, BundleEntry> Entries;
  EXPECT_EQ(std::string(LazyBundle, 24), "__CLANG_OFFLOAD_BUNDLE__");
  const char *Entry = LazyBundle + 32;
  for (uint64_t Count = number(LazyBundle + 24); Count; --Count) {
    const uint64_t Length = number(Entry + 16);
    Entries[std::string(Entry + 24, Length)] = {number(Entry),
                                                number(Entry + 8)};
    Entry += 24 + Length;
  }
  return Entries;
}

const std::string Prefix = "hipv4-amdgcn-amd-amdhsa--";

class ShimTest : public RuntimeFixture {
protected:
  void expectCodeBehindDamaged(const std::string &Path,
                               const std::string &Code);

  /// One in a process, as in the library; never destroyed.
  static Shim &shim() {
    static auto *The = new Shim(ShimMode::On, runtime::Environment::read(),
                                {::sigaction, ::pthread_sigmask});
    return *The;
  }

  /// A wrapper of a binary that is a file with this marker.
  FatBinaryWrapper binary(const std::string &Name, const std::string &Marker,
                          uint32_t Index = 0) {
    Result<MappedFile> File = MappedFile::open(file(Name, Marker));
    EXPECT_TRUE(File.ok());
    Binaries.push_back(std::move(*File));
    return {MagicHipk, 1, Binaries.back().bytes().data(), Index, 0};
  }

  void **add(const FatBinaryWrapper &W) {
    void **Handle = shim().registerFatBinary(&W, Hip);
    EXPECT_NE(Handle, nullptr);
    return Handle;
  }
  void remove(void **Handle) {
    EXPECT_TRUE(shim().unregisterFatBinary(Handle));
  }

  std::vector<MappedFile> Binaries;
};

/// A reference at a runtime that answers \p Error without reading it.
class ShimReferenceTest : public ShimTest {
protected:
  void SetUp() override {
    ShimTest::SetUp();
    archive("a.kpack", {{{"app", "gfx906", "code"}}});
    Result<MappedFile> File = MappedFile::open(
        file("x.co", std::string(ReferenceMagic) + marker("app", {"a.kpack"})));
    ASSERT_TRUE(File.ok());
    Binaries.push_back(std::move(*File));
  }
  int load(const Shim::LoadImage &Load) {
    void *Handle = nullptr;
    return shim().loadImage(&Handle, Binaries.back().bytes().data(), Hip,
                            [&](const void *Image) {
                              Images.push_back(Image);
                              return Load(Image);
                            });
  }

  std::vector<const void *> Images;
};

TEST_F(ShimReferenceTest, IsOfferedAgainOnlyToARuntimeThatSeesNoCode) {
  const uint64_t Before = shim().memory().pagesFilled();
  for (int Error : {HipOutOfMemory, HipNotInitialized, 100}) {
    EXPECT_EQ(load([=](const void *) { return Error; }), Error);
    EXPECT_EQ(Images.size(), 1u);
    EXPECT_EQ(shim().memory().pagesFilled(), Before);
    Images.clear();
  }
  for (int Error : {HipInvalidImage, HipNoBinaryForGpu, HipInvalidKernelFile}) {
    EXPECT_EQ(load([=](const void *) { return Error; }), Error);
    EXPECT_EQ(Images.size(), 2u);
    EXPECT_GT(shim().memory().pagesFilled(), Before);
    Images.clear();
  }
}

TEST_F(ShimReferenceTest, IsReleasedWhenMemoryIsShort) {
  EXPECT_THROW(load([](const void *) -> int { throw std::bad_alloc(); }),
               std::bad_alloc);
  ASSERT_EQ(Images.size(), 1u);
  EXPECT_FALSE(shim().memory().contains(Images.front()));
}

TEST_F(ShimTest, GivesOtherWrappersToTheRuntimeUntouched) {
  FatBinaryWrapper W{MagicHipf, 1, "bundle", 0, 0};
  EXPECT_EQ(add(W), reinterpret_cast<void **>(&W));
  remove(reinterpret_cast<void **>(&W));
  FatBinaryWrapper Unknown{MagicHipk, 2, "?", 0, 0};
  EXPECT_EQ(shim().registerFatBinary(&Unknown, Hip), nullptr);
}

TEST_F(ShimTest, OffersEveryTargetWhenDevicesAreUnknown) {
  const std::string Mi200(10000, 'a'), Navi(5000, 'b');
  FatBinaryWrapper W =
      binary("bin/app", marker("app", {"../.kpack/app_@GFXARCH@.kpack"}), 3);
  void **Handle = add(W); // before there is any archive
  archive(".kpack/app_gfx90a:xnack-.kpack",
          {{{"app#3", "gfx90a:xnack-", Mi200}, {"app#0", "gfx90a", "no"}}});
  archive(".kpack/app_gfx1100.kpack", {{{"app#3", "gfx1100", Navi}}});
  archive(".kpack/app_of_another.kpack", {{{"app#3", "gfx906", Navi}}});
  archive(".kpack/apps_gfx906.kpack", {{{"app#3", "gfx906", Navi}}});

  const char *LazyBundle = getBundle(Handle);
  const uint64_t Before = shim().memory().pagesFilled();
  std::map<std::string, BundleEntry> Entries = readEntries(LazyBundle);
  EXPECT_EQ(shim().memory().pagesFilled() - Before, 1u);
  ASSERT_EQ(Entries.size(), 3u);
  EXPECT_EQ(Entries.count("host-x86_64-unknown-linux--"), 1u);
  BundleEntry E = Entries[Prefix + "gfx90a:xnack-"];
  EXPECT_EQ(std::string(LazyBundle + E.Offset, E.Size), Mi200);
  EXPECT_EQ(shim().memory().pagesFilled() - Before, 4u);
  E = Entries[Prefix + "gfx1100"];
  EXPECT_EQ(std::string(LazyBundle + E.Offset, E.Size), Navi);
  remove(Handle);
  EXPECT_TRUE(runtime::readableBytes(LazyBundle, 1).empty());
}

/// \p Code comes out of b.kpack, since a.kpack, at \p Path, gets damaged.
void ShimTest::expectCodeBehindDamaged(const std::string &Path,
                                       const std::string &Code) {
  std::string Bytes = contents(Path);
  Bytes[64 + 8 + 12] ^= 0x55; // in the first frame
  file("a.kpack", Bytes);
  void **Handle = add(binary("app", marker("app", {"a.kpack", "b.kpack"})));
  std::map<std::string, BundleEntry> Entries = readEntries(getBundle(Handle));
  BundleEntry E = Entries[Prefix + "gfx906"];
  EXPECT_EQ(std::string(getBundle(Handle) + E.Offset, E.Size), Code);
  remove(Handle);
}

TEST_F(ShimTest, AnotherArchiveStandsInForADamagedOne) {
  const std::string Code(3000, 'x');
  std::string Path = archive("a.kpack", {{{"app#0", "gfx906", Code}}});
  archive("b.kpack", {{{"app#0", "gfx906", Code}}});
  expectCodeBehindDamaged(Path, Code);
}

TEST_F(ShimTest, ALargerArchiveStandsInForADamagedOne) {
  const std::string Code(9000, 'x');
  std::string Path =
      archive("a.kpack", {{{"app#0", "gfx906", Code.substr(0, 3000)}}});
  archive("b.kpack", {{{"app#0", "gfx906", Code}}});
  expectCodeBehindDamaged(Path, Code);
}

TEST_F(ShimTest, DamagedCodeReadsAsZeros) {
  const std::string Code(3000, 'x');
  std::string Path = archive("a.kpack", {{{"app#0", "gfx906", Code}}});
  std::string Bytes = contents(Path);
  Bytes[64 + 8 + 12] ^= 0x55;
  file("a.kpack", Bytes);
  void **Handle = add(binary("app", marker("app", {"a.kpack"})));
  std::map<std::string, BundleEntry> Entries = readEntries(getBundle(Handle));
  BundleEntry E = Entries[Prefix + "gfx906"];
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(std::string(getBundle(Handle) + E.Offset, E.Size),
            std::string(3000, '\0'));
  std::string Said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(Said.find(path("app") +
                      ": its device code for gfx906 cannot be "
                      "read; install " +
                      path("a.kpack") + " again"),
            Said.npos)
      << Said;
  remove(Handle);
}

TEST_F(ShimTest, ArchiveCutOffWhileOpenDoesNotCrash) {
  const std::string Code(300000, 'x');
  std::string Path = archive(
      "a.kpack", {{{"app#0", "gfx906", Code}}, CompressionScheme::None});
  void **Handle = add(binary("app", marker("app", {"a.kpack"})));
  std::map<std::string, BundleEntry> Entries = readEntries(getBundle(Handle));
  ASSERT_EQ(truncate(Path.c_str(), 100), 0);
  BundleEntry E = Entries[Prefix + "gfx906"];
  EXPECT_EQ(std::string(getBundle(Handle) + E.Offset, E.Size),
            std::string(300000, '\0'));
  remove(Handle);
}

TEST_F(ShimTest, ReplacedArchiveStaysReadable) {
  const std::string Code(30000, 'x');
  std::string Path = archive("a.kpack", {{{"app#0", "gfx906", Code}}});
  void **Handle = add(binary("app", marker("app", {"a.kpack"})));
  std::map<std::string, BundleEntry> Entries = readEntries(getBundle(Handle));
  archive("a.kpack", {{{"app#0", "gfx906", "y"}}}); // by rename
  BundleEntry E = Entries[Prefix + "gfx906"];
  EXPECT_EQ(std::string(getBundle(Handle) + E.Offset, E.Size), Code);
  remove(Handle);
}

TEST_F(ShimTest, MissingArchiveGivesAnEmptyBundleAndOneMessage) {
  std::string Marker = marker("lib/app", {".kpack/app_@GFXARCH@.kpack"});
  ::testing::internal::CaptureStderr();
  for (uint32_t Index : {0, 1, 2}) {
    void **Handle = add(binary("lib/libapp.so", Marker, Index));
    EXPECT_EQ(readEntries(getBundle(Handle)).size(), 1u);
    remove(Handle);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "kpack_hip: error: " + path("lib/libapp.so") +
                ": no device code for any GPU; install the archives of this "
                "binary, or name them in ROCM_KPACK_PATH\n"
                "  looked for 'lib/app#0'\n  " +
                path("lib/.kpack/app_@GFXARCH@.kpack") +
                ": no such file\n  the folder " + path("lib/.kpack") +
                " is missing: its name begins with a dot, so copying '*' "
                "leaves it out\n");
}

TEST_F(ShimTest, DamagedMarkerIsReported) {
  ::testing::internal::CaptureStderr();
  void **Handle = add(binary("app", "not a marker"));
  EXPECT_EQ(readEntries(getBundle(Handle)).size(), 1u);
  std::string Said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(Said.find("kpack_hip: error: " + path("app") + ": "), 0u) << Said;
  remove(Handle);
}

TEST_F(ShimTest, AnArchiveOfAnotherBuildIsNotUsed) {
  archive("a.kpack", {{{"app#0", "gfx906", "old"}}, {}, {{"app", "id-1"}}});
  void **Handle = add(binary("app", marker("app", {"a.kpack"}, "id-2")));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(readEntries(getBundle(Handle)).size(), 1u);
  std::string Said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(Said.find("a.kpack: belongs to another build of this binary "
                      "(archive_id 'id-1', the binary wants 'id-2')"),
            Said.npos)
      << Said;
  remove(Handle);
}

TEST_F(ShimTest, ThreadsRegisterReadAndUnregister) {
  const std::string Code(50000, 'c');
  archive("a.kpack", {{{"app#0", "gfx906", Code}, {"app#1", "gfx906", Code}}});
  std::string Marker = marker("app", {"a.kpack"});
  const FatBinaryWrapper Wrappers[] = {binary("app", Marker, 0),
                                       binary("app2", Marker, 1)};
  void **Shared = add(Wrappers[0]);
  std::atomic<unsigned> Wrong{0};
  std::vector<std::thread> Threads;
  for (unsigned T = 0; T != 6; ++T)
    Threads.emplace_back([&, T] {
      for (unsigned Round = 0; Round != 20; ++Round) {
        void **Own = shim().registerFatBinary(&Wrappers[(T + Round) % 2], Hip);
        for (void **Handle : {Own, Shared}) {
          BundleEntry E = readEntries(getBundle(Handle))[Prefix + "gfx906"];
          Wrong += std::string(getBundle(Handle) + E.Offset, E.Size) != Code;
        }
        shim().unregisterFatBinary(Own);
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong, 0u);
  remove(Shared);
}

TEST_F(ShimTest, ForkedChildReadsUnreadParts) {
  const std::string Code(50000, 'c');
  archive("a.kpack", {{{"app#0", "gfx906", Code}}});
  void **Handle = add(binary("app", marker("app", {"a.kpack"})));
  pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (Child == 0) {
    BundleEntry E = readEntries(getBundle(Handle))[Prefix + "gfx906"];
    _exit(std::string(getBundle(Handle) + E.Offset, E.Size) == Code ? 0 : 1);
  }
  int Status = -1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
  remove(Handle);
}

} // namespace
