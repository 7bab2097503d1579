//===- LoadTest.cpp - tests of librocm_kpack.so: search rules -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search rules of kpack_load_code_object(), one test a rule; the rules that
// the shipped loader breaks are named after the defect (D4, D10).
//
//===----------------------------------------------------------------------===//
#include "RocmKpackFixture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::testing;

namespace {

class Load : public RocmKpackFixture {
protected:
  void SetUp() override {
    RocmKpackFixture::SetUp();
    file("bin/app", "");
  }

  /// An archive with one code object of "app".
  std::string one(const std::string &Name, const std::string &Arch,
                  const std::string &Bytes, int Index = 0) const {
    return archive(Name, {{{"app#" + std::to_string(Index), Arch, Bytes}}});
  }

  static int linesIn(const std::string &Text) {
    return static_cast<int>(std::count(Text.begin(), Text.end(), '\n'));
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Arguments and markers
//===----------------------------------------------------------------------===//

TEST_F(Load, RefusesNullPointersAndNoDevices) {
  Cache C = newCache();
  std::string M = marker("app", {"x.kpack"});
  const char *Archs[] = {"gfx942"};
  void *Out = nullptr;
  size_t Size = 0;
  const kpack_error_t Bad = KPACK_ERROR_INVALID_ARGUMENT;
  EXPECT_EQ(kpack_cache_create(nullptr), Bad);
  EXPECT_EQ(
      kpack_load_code_object(nullptr, M.data(), "x", 0, Archs, 1, &Out, &Size),
      Bad);
  EXPECT_EQ(
      kpack_load_code_object(C.get(), nullptr, "x", 0, Archs, 1, &Out, &Size),
      Bad);
  EXPECT_EQ(kpack_load_code_object(C.get(), M.data(), nullptr, 0, Archs, 1,
                                   &Out, &Size),
            Bad);
  EXPECT_EQ(kpack_load_code_object(C.get(), M.data(), "x", 0, nullptr, 1, &Out,
                                   &Size),
            Bad);
  EXPECT_EQ(
      kpack_load_code_object(C.get(), M.data(), "x", 0, Archs, 0, &Out, &Size),
      Bad);
  EXPECT_EQ(kpack_load_code_object(C.get(), M.data(), "x", 0, Archs, 1, nullptr,
                                   &Size),
            Bad);
  EXPECT_EQ(kpack_load_code_object(C.get(), M.data(), "x", 0, Archs, 1, &Out,
                                   nullptr),
            Bad);
}

TEST_F(Load, RefusesMalformedMarkers) {
  Cache C = newCache();
  // Padded: a string's bytes behind it are the test's, not a fault.
  for (const char *Bytes : {"\xc1", "\x93\x01\x02\x03", "\x80",
                            "\x81\xabkernel_name\xa3"
                            "app"})
    EXPECT_EQ(
        load(C, std::string(Bytes) + std::string(64, '\0'), {"gfx942"}).Error,
        KPACK_ERROR_INVALID_METADATA);
}

TEST_F(Load, NeverReadsBeyondTheMapping) {
  const size_t Page = sysconf(_SC_PAGESIZE);
  char *Start =
      static_cast<char *>(mmap(nullptr, 2 * Page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(Start, MAP_FAILED);
  ASSERT_EQ(mprotect(Start + Page, Page, PROT_NONE), 0);
  one("x.kpack", "gfx942", "code");
  Cache C = newCache();
  const std::string Binary = path("bin/app");
  const char *Archs[] = {"gfx942"};
  const std::string Whole = marker("app", {path("x.kpack")});
  // From nothing of the marker to all of it before the page that is closed;
  // twice, so that the remembered search is compared with it too.
  for (int Round = 0; Round != 2; ++Round)
    for (size_t Part = Whole.size(); Part != 0; --Part) {
      char *At = Start + Page - Part;
      memcpy(At, Whole.data(), Part);
      void *Out = nullptr;
      size_t Size = 0;
      kpack_error_t Error = kpack_load_code_object(C.get(), At, Binary.c_str(),
                                                   0, Archs, 1, &Out, &Size);
      EXPECT_EQ(Error, Part == Whole.size() ? KPACK_SUCCESS
                                            : KPACK_ERROR_INVALID_METADATA)
          << Part;
      kpack_free_code_object(Out);
    }
  void *Out = nullptr;
  size_t Size = 0;
  EXPECT_EQ(kpack_load_code_object(C.get(), Start + Page, Binary.c_str(), 0,
                                   Archs, 1, &Out, &Size),
            KPACK_ERROR_INVALID_METADATA);
  munmap(Start, 2 * Page);
}

TEST_F(Load, AMarkerMayBeFollowedByAnything) {
  one("x.kpack", "gfx942", "code");
  EXPECT_EQ(
      loadedOnce(marker("app", {"../x.kpack"}) + "\xc1garbage", {"gfx942"}),
      "code");
}

TEST_F(Load, MarkersAreComparedByContent) {
  one("x.kpack", "gfx942", "code x");
  one("y.kpack", "gfx942", "code y");
  Cache C = newCache();
  std::string M = marker("app", {"../x.kpack"});
  EXPECT_EQ(loaded(C, M, {"gfx942"}), "code x");
  EXPECT_EQ(loaded(C, M, {"gfx942"}), "code x");
  std::string Other = marker("app", {"../y.kpack"});
  ASSERT_EQ(M.size(), Other.size());
  memcpy(M.data(), Other.data(), M.size());
  EXPECT_EQ(loaded(C, M, {"gfx942"}), "code y");
}

//===----------------------------------------------------------------------===//
// Search paths
//===----------------------------------------------------------------------===//

TEST_F(Load, RelativePathsStartAtTheBinary) {
  one(".kpack/x.kpack", "gfx942", "code");
  EXPECT_EQ(loadedOnce(marker("app", {"../.kpack/x.kpack"}), {"gfx942"}),
            "code");
}

TEST_F(Load, RelativePathsWorkWhenTheBinaryIsGone) {
  one(".kpack/x.kpack", "gfx942", "code");
  EXPECT_EQ(loaded(newCache(), marker("app", {"../.kpack/x.kpack"}), {"gfx942"},
                   0, path("removed/app")),
            "code");
}

TEST_F(Load, ABinaryWithoutAFolderIsInTheCurrentOne) {
  one("x.kpack", "gfx942", "code");
  std::string Old = std::filesystem::current_path();
  std::filesystem::current_path(Folder);
  EXPECT_EQ(
      loaded(newCache(), marker("app", {"x.kpack"}), {"gfx942"}, 0, "app"),
      "code");
  std::filesystem::current_path(Old);
}

TEST_F(Load, AbsolutePathsAreTakenAsTheyAre) {
  std::string Path = one("elsewhere/x.kpack", "gfx942", "code");
  EXPECT_EQ(loadedOnce(marker("app", {Path}), {"gfx942"}), "code");
}

TEST_F(Load, EarlierPathsWin) {
  one("1.kpack", "gfx942", "first");
  one("2.kpack", "gfx942", "second");
  EXPECT_EQ(
      loadedOnce(marker("app", {"../0.kpack", "../1.kpack", "../2.kpack"}),
                 {"gfx942"}),
      "first");
}

TEST_F(Load, ThePlaceholderBecomesEachTarget) {
  one("x_gfx942.kpack", "gfx942", "942");
  one("x_gfx90a:xnack-.kpack", "gfx90a:xnack-", "90a xnack-");
  std::string M = marker("app", {"../x_@GFXARCH@.kpack"});
  EXPECT_EQ(loadedOnce(M, {"gfx942"}), "942");
  EXPECT_EQ(loadedOnce(M, {"gfx942:sramecc+:xnack-"}), "942");
  EXPECT_EQ(loadedOnce(M, {"gfx90a:sramecc+:xnack-"}), "90a xnack-");
  EXPECT_EQ(loadedOnce(M, {"gfx90a:sramecc+:xnack+"}), "error 13");
}

TEST_F(Load, OnlyTheFirstPlaceholderIsReplaced) {
  one("gfx942/x_@GFXARCH@.kpack", "gfx942", "code");
  EXPECT_EQ(
      loadedOnce(marker("app", {"../@GFXARCH@/x_@GFXARCH@.kpack"}), {"gfx942"}),
      "code");
}

TEST_F(Load, MissingArchiveIsError13) {
  std::string M = marker("app", {"../none.kpack", "../bin"});
  EXPECT_EQ(
      captureStderr([&] { EXPECT_EQ(loadedOnce(M, {"gfx942"}), "error 13"); }),
      "");
}

// 58 KB of marker; the limit is what PartsTest.cpp tests.
TEST_F(Load, ThousandsOfPathsAreCutOffWithAMessage) {
  one("first_gfx942.kpack", "gfx942", "code");
  one("last_gfx942.kpack", "gfx942", "code");
  Marker M;
  M.KernelName = "app";
  for (int I = 0; I != 4500; ++I)
    M.SearchPaths.push_back("@GFXARCH@" + std::to_string(I));
  M.SearchPaths.front() = "../first_@GFXARCH@.kpack";
  std::string Bytes = *encodeMarker(M);
  ASSERT_GT(Bytes.size(), 55000u);
  Cache C = newCache();
  std::string Text = captureStderr([&] {
    EXPECT_EQ(loaded(C, Bytes, {"gfx942"}), "code");
    EXPECT_EQ(loaded(C, Bytes, {"gfx942"}, 1), "error 5");
  });
  EXPECT_EQ(Text, "kpack: warning: " + path("bin/app") +
                      ": its search paths stand for more than 4096 files, only "
                      "the first ones are looked at; link it with fewer search "
                      "paths\n");
  std::swap(M.SearchPaths.front(), M.SearchPaths.back());
  Bytes = *encodeMarker(M);
  captureStderr([&] {
    EXPECT_EQ(loaded(newCache(), Bytes, {"gfx942"}), "error 13");
    // Absurd device names ask for no more.
    EXPECT_EQ(
        loaded(newCache(), Bytes, {"gfx942:a+:b+:c+:d+:e+:f+:g+:h+", "gfx942"}),
        "error 13");
  });
}

TEST_F(Load, UnreadablePlaceIsNamedIfNothingElseServes) {
  // A link to itself: unreadable for root too.
  std::filesystem::create_symlink("loop", path("loop"));
  std::string M = marker("app", {"../loop/x.kpack"});
  std::string Text = captureStderr([&] {
    Cache C = newCache();
    EXPECT_EQ(loaded(C, M, {"gfx942"}), "error 9");
    EXPECT_EQ(loaded(C, M, {"gfx942"}), "error 9");
  });
  EXPECT_NE(Text.find("loop/x.kpack: cannot open: "), Text.npos) << Text;
  EXPECT_EQ(linesIn(Text), 1) << Text;

  // A search path may be another's, of the build for example.
  one("good.kpack", "gfx942", "code");
  M = marker("app", {"../loop/x.kpack", "../good.kpack"});
  EXPECT_EQ(
      captureStderr([&] { EXPECT_EQ(loadedOnce(M, {"gfx942"}), "code"); }), "");
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

TEST_F(Load, TheListOfTheDeviceComesBeforeTheListOfPaths) {
  one("1.kpack", "gfx906", "906");
  one("2.kpack", "gfx942", "942");
  std::string M = marker("app", {"../1.kpack", "../2.kpack"});
  EXPECT_EQ(loadedOnce(M, {"gfx942", "gfx906"}), "942");
  EXPECT_EQ(loadedOnce(M, {"gfx906", "gfx942"}), "906");
  EXPECT_EQ(loadedOnce(M, {nullptr, "gfx942"}), "942");
}

TEST_F(Load, MoreFeaturesFirst) {
  std::string Path =
      archive("x.kpack", {{{"app#0", "gfx90a", "any"},
                           {"app#0", "gfx90a:xnack+", "xnack+"},
                           {"app#0", "gfx90a:sramecc+:xnack-", "both"}}});
  std::string M = marker("app", {Path});
  EXPECT_EQ(loadedOnce(M, {"gfx90a:sramecc+:xnack-"}), "both");
  EXPECT_EQ(loadedOnce(M, {"gfx90a:sramecc+:xnack+"}), "xnack+");
  EXPECT_EQ(loadedOnce(M, {"gfx90a:sramecc-:xnack-"}), "any");
  EXPECT_EQ(loadedOnce(M, {"gfx90a"}), "any");
}

TEST_F(Load, CodeForAFeatureIsNotForADeviceWithoutIt) {
  one("x.kpack", "gfx942:xnack+", "code");
  EXPECT_EQ(loadedOnce(marker("app", {"../x.kpack"}), {"gfx942"}), "error 14");
}

TEST_F(Load, ATripleInFrontOfTheNameIsIgnored) {
  one("x_gfx942.kpack", "gfx942", "code");
  EXPECT_EQ(loadedOnce(marker("app", {"../x_@GFXARCH@.kpack"}),
                       {"amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"}),
            "code");
}

TEST_F(Load, ArchivesOfOtherDevicesAreError14) {
  one("x.kpack", "gfx942", "code");
  EXPECT_EQ(loadedOnce(marker("app", {"../x.kpack"}), {"gfx906"}), "error 14");
}

TEST_F(Load, GfxArchesListDecidesTheTargets) {
  std::string Path = archive("x.kpack", {{{"app#0", "gfx942", "code"}},
                                         CompressionScheme::ZstdPerKernel,
                                         {},
                                         {"gfx906"}});
  // gfx906 is stated, without a code object.
  EXPECT_EQ(loadedOnce(marker("app", {Path}), {"gfx906"}), "error 5");
  EXPECT_EQ(loadedOnce(marker("app", {Path}), {"gfx908"}), "error 14");
}

TEST_F(Load, GenericTargetsServeWhenNothingExactDoes) {
  struct {
    const char *Device, *Generic;
  } Table[] = {{"gfx900", "gfx9-generic"},     {"gfx906", "gfx9-generic"},
               {"gfx942", "gfx9-4-generic"},   {"gfx950", "gfx9-4-generic"},
               {"gfx1010", "gfx10-1-generic"}, {"gfx1030", "gfx10-3-generic"},
               {"gfx1036", "gfx10-3-generic"}, {"gfx1100", "gfx11-generic"},
               {"gfx1151", "gfx11-generic"},   {"gfx1201", "gfx12-generic"}};
  for (auto [Device, Generic] : Table) {
    one(std::string("x_") + Generic + ".kpack", Generic, Generic);
    EXPECT_EQ(loadedOnce(marker("app", {"../x_@GFXARCH@.kpack"}), {Device}),
              Generic);
  }
  // Not by prefix: gfx90a and gfx908 have no generic target.
  EXPECT_EQ(loadedOnce(marker("app", {"../x_gfx9-generic.kpack"}), {"gfx90a"}),
            "error 14");
}

TEST_F(Load, EveryExactTargetComesBeforeAnyGenericOne) {
  one("generic.kpack", "gfx9-4-generic", "generic");
  one("exact.kpack", "gfx906", "exact");
  std::string M = marker("app", {"../generic.kpack", "../exact.kpack"});
  EXPECT_EQ(loadedOnce(M, {"gfx942", "gfx906"}), "exact");
  EXPECT_EQ(loadedOnce(M, {"gfx942"}), "generic");
  EXPECT_EQ(loadedOnce(M, {"gfx942:sramecc+:xnack-"}), "generic");
}

TEST_F(Load, StrictTargetsRefuseCodeOfTheirNamesake) {
  one("x.kpack", "gfx1250", "code");
  std::string M = marker("app", {"../x.kpack"});
  EXPECT_EQ(loadedOnce(M, {"gfx1250-strict"}), "error 14");
  EXPECT_EQ(loadedOnce(M, {"gfx1250"}), "code");
}

//===----------------------------------------------------------------------===//
// Several translation units, several archives
//===----------------------------------------------------------------------===//

TEST_F(Load, TheIndexOfTheWrapperChoosesTheCodeObject) {
  std::string Path = archive("x.kpack", {{{"app#0", "gfx942", "zero"},
                                          {"app#1", "gfx942", "one"},
                                          {"app#10", "gfx942", "ten"}}});
  std::string M = marker("app", {Path});
  Cache C = newCache();
  EXPECT_EQ(loaded(C, M, {"gfx942"}, 0), "zero");
  EXPECT_EQ(loaded(C, M, {"gfx942"}, 1), "one");
  EXPECT_EQ(loaded(C, M, {"gfx942"}, 10), "ten");
  EXPECT_EQ(loaded(C, M, {"gfx942"}, 4294967295u), "error 5");
}

TEST_F(Load, D4UnevenTranslationUnitsAreNotFoundRatherThanWrong) {
  std::string Path = archive("x.kpack", {{{"app#0", "gfx1100", "tu0 1100"},
                                          {"app#1", "gfx1100", "tu1 1100"},
                                          {"app#1", "gfx1101", "tu1 1101"}}});
  std::string M = marker("app", {Path});
  EXPECT_EQ(captureStderr(
                [&] { EXPECT_EQ(loadedOnce(M, {"gfx1101"}, 0), "error 5"); }),
            "");
  EXPECT_EQ(loadedOnce(M, {"gfx1101"}, 1), "tu1 1101");
}

TEST_F(Load, D10ALaterArchiveIsTriedWhenTheFirstLacksTheKernel) {
  one("1.kpack", "gfx942", "index 0", 0);
  one("2.kpack", "gfx942", "index 1", 1);
  std::string M = marker("app", {"../1.kpack", "../2.kpack"});
  EXPECT_EQ(loadedOnce(M, {"gfx942"}, 1), "index 1");
}

TEST_F(Load, D10FewerFeaturesAreTriedWhenMoreLackTheKernel) {
  std::string Path = archive("x.kpack", {{{"app#0", "gfx90a:xnack+", "xnack+"},
                                          {"app#1", "gfx90a", "any"}}});
  EXPECT_EQ(loadedOnce(marker("app", {Path}), {"gfx90a:xnack+"}, 1), "any");
}

TEST_F(Load, D10TheNextDeviceNameIsTriedWhenTheFirstLacksTheKernel) {
  std::string Path =
      archive("x.kpack", {{{"app#0", "gfx942", "exact"},
                           {"app#1", "gfx9-4-generic", "generic"},
                           {"app#2", "gfx906", "other"}}});
  std::string M = marker("app", {Path});
  EXPECT_EQ(loadedOnce(M, {"gfx942", "gfx9-4-generic"}, 1), "generic");
  EXPECT_EQ(loadedOnce(M, {"gfx942"}, 1), "generic");
  EXPECT_EQ(loadedOnce(M, {"gfx942", "gfx906"}, 2), "other");
}

TEST_F(Load, AnArchiveInstalledLaterIsFound) {
  Cache C = newCache();
  std::string M = marker("app", {"../x_@GFXARCH@.kpack"});
  EXPECT_EQ(loaded(C, M, {"gfx942"}), "error 13");
  one("x_gfx942.kpack", "gfx942", "code");
  EXPECT_EQ(loaded(C, M, {"gfx942"}), "code");
  EXPECT_EQ(loaded(C, M, {"gfx942"}, 1), "error 5");
  one("x_gfx9-4-generic.kpack", "gfx9-4-generic", "generic 1", 1);
  EXPECT_EQ(loaded(C, M, {"gfx942"}, 1), "generic 1");
  EXPECT_EQ(loaded(C, M, {"gfx942"}, 0), "code");
}

TEST_F(Load, AnArchiveStaysOpenWhenItIsRemoved) {
  Cache C = newCache();
  std::string Path = one("x.kpack", "gfx942", "code");
  std::string M = marker("app", {Path});
  EXPECT_EQ(loaded(C, M, {"gfx942"}), "code");
  std::filesystem::remove(Path);
  EXPECT_EQ(loaded(C, M, {"gfx942"}), "code");
}

//===----------------------------------------------------------------------===//
// Archives that cannot serve
//===----------------------------------------------------------------------===//

TEST_F(Load, ACorruptArchiveIsNamedOnceAndPassedOver) {
  std::string Bad = file("bad.kpack", std::string(200, 'x'));
  one("good.kpack", "gfx942", "code");
  std::string M = marker("app", {"../bad.kpack", "../good.kpack"});
  Cache C = newCache();
  std::string Text = captureStderr([&] {
    EXPECT_EQ(loaded(C, M, {"gfx942"}), "code");
    EXPECT_EQ(loaded(C, M, {"gfx942"}), "code");
    EXPECT_EQ(loaded(C, M, {"gfx942"}, 1), "error 3");
  });
  EXPECT_EQ(Text.find("kpack: warning: "), 0u) << Text;
  EXPECT_NE(Text.find("bad.kpack"), Text.npos) << Text;
  EXPECT_EQ(linesIn(Text), 1) << Text;

  // Another cache says it again.
  EXPECT_EQ(linesIn(captureStderr([&] { loadedOnce(M, {"gfx942"}); })), 1);
}

TEST_F(Load, TheErrorOfACorruptArchiveIsReturnedIfNothingElseServes) {
  std::string Good = contents(one("good.kpack", "gfx942", "code"));
  std::string Version = Good;
  Version[4] = 9;
  file("3.kpack", "not an archive");
  file("4.kpack", Version);
  file("10.kpack", Good.substr(0, Good.size() - 3));
  file("9.kpack", "");
  for (const char *Number : {"3", "4", "9", "10"})
    captureStderr([&] {
      EXPECT_EQ(
          loadedOnce(marker("app", {std::string("../") + Number + ".kpack"}),
                     {"gfx942"}),
          std::string("error ") + Number);
    });
}

TEST_F(Load, ACorruptArchiveThatIsReplacedWorks) {
  std::string Good = contents(one("good.kpack", "gfx942", "code"));
  std::string Path = file("x.kpack", "not an archive");
  std::string M = marker("app", {Path});
  Cache C = newCache();
  captureStderr([&] { EXPECT_EQ(loaded(C, M, {"gfx942"}), "error 3"); });
  file("x.new", Good);
  std::filesystem::rename(path("x.new"), Path);
  EXPECT_EQ(loaded(C, M, {"gfx942"}), "code");
}

TEST_F(Load, ACodeObjectThatDoesNotDecompressIsNamedAndAnotherServes) {
  std::string Kernel;
  for (int I = 0; I != 3000; ++I)
    Kernel += static_cast<char>(I * I >> 3);
  std::string Bytes = contents(one("x.kpack", "gfx942", Kernel));
  Bytes[64 + 8 + 200] ^= 0x55;
  file("bad.kpack", Bytes);
  one("good.kpack", "gfx942", "code");
  std::string Text = captureStderr([&] {
    EXPECT_EQ(loadedOnce(marker("app", {"../bad.kpack"}), {"gfx942"}),
              "error 6");
    EXPECT_EQ(loadedOnce(marker("app", {"../bad.kpack", "../good.kpack"}),
                         {"gfx942"}),
              "code");
  });
  EXPECT_EQ(linesIn(Text), 2) << Text;
  EXPECT_NE(Text.find("bad.kpack"), Text.npos) << Text;
}

TEST_F(Load, AStaleArchiveIsNamedAndNeverServes) {
  std::string Path = archive("x.kpack", {{{"app#0", "gfx942", "old code"}},
                                         CompressionScheme::ZstdPerKernel,
                                         {{"app", "id-of-old"}}});
  std::string M = marker("app", {Path}, "id-of-new");
  Cache C = newCache();
  std::string Text = captureStderr([&] {
    EXPECT_EQ(loaded(C, M, {"gfx942"}), "error 12");
    EXPECT_EQ(loaded(C, M, {"gfx942"}), "error 12");
  });
  EXPECT_EQ(linesIn(Text), 1) << Text;
  for (const char *Part : {"kpack: warning: ", "bin/app", "x.kpack",
                           "id-of-old", "id-of-new", "rebuild or reinstall"})
    EXPECT_NE(Text.find(Part), Text.npos) << Text;

  // The right archive later in the list serves.
  archive("y.kpack", {{{"app#0", "gfx942", "new code"}},
                      CompressionScheme::ZstdPerKernel,
                      {{"app", "id-of-new"}}});
  captureStderr([&] {
    EXPECT_EQ(loadedOnce(marker("app", {Path, "../y.kpack"}, "id-of-new"),
                         {"gfx942"}),
              "new code");
  });
}

TEST_F(Load, AnArchiveIsStaleForOneBinaryOnly) {
  std::string Path = archive("x.kpack", {{{"app#0", "gfx942", "app code"},
                                          {"lib#0", "gfx942", "lib code"}},
                                         CompressionScheme::ZstdPerKernel,
                                         {{"app", "1"}, {"lib", "2"}}});
  EXPECT_EQ(captureStderr([&] {
              EXPECT_EQ(loadedOnce(marker("lib", {Path}, "2"), {"gfx942"}),
                        "lib code");
              EXPECT_EQ(loadedOnce(marker("app", {Path}, "1"), {"gfx942"}),
                        "app code");
            }),
            "");
}

TEST_F(Load, WithoutAnIdOnEitherSideNothingIsStale) {
  std::string With = archive(
      "with.kpack",
      {{{"app#0", "gfx942", "with"}}, CompressionScheme::None, {{"app", "1"}}});
  std::string Without = one("without.kpack", "gfx942", "without");
  EXPECT_EQ(captureStderr([&] {
              EXPECT_EQ(loadedOnce(marker("app", {With}), {"gfx942"}), "with");
              EXPECT_EQ(loadedOnce(marker("app", {Without}, "1"), {"gfx942"}),
                        "without");
            }),
            "");
}

TEST_F(Load, ControlCharactersDoNotReachTheTerminal) {
  std::string Path =
      archive("x.kpack", {{{"app#0", "gfx942", "x"}},
                          CompressionScheme::None,
                          {{"app", "\x1b[31mred\nkpack: fake"}}});
  std::string Text = captureStderr([&] {
    EXPECT_EQ(loadedOnce(marker("app", {Path}, "1"), {"gfx942"}), "error 12");
  });
  EXPECT_EQ(Text.find('\x1b'), Text.npos);
  EXPECT_EQ(linesIn(Text), 1) << Text;
}

//===----------------------------------------------------------------------===//
// Environment
//===----------------------------------------------------------------------===//

TEST_F(Load, PathReplacesWhatTheMarkerSays) {
  one("x.kpack", "gfx942", "marker's");
  set("ROCM_KPACK_PATH", ":" + path("none.kpack") +
                             "::" + one("y.kpack", "gfx942", "user's") + ":");
  EXPECT_EQ(loadedOnce(marker("app", {"../x.kpack"}), {"gfx942"}), "user's");
  set("ROCM_KPACK_PATH", path("none.kpack"));
  EXPECT_EQ(loadedOnce(marker("app", {"../x.kpack"}), {"gfx942"}), "error 13");
}

TEST_F(Load, EmptyPathIsIgnored) {
  one("x.kpack", "gfx942", "marker's");
  for (const char *Value : {"", ":", "::"}) {
    set("ROCM_KPACK_PATH", Value);
    EXPECT_EQ(loadedOnce(marker("app", {"../x.kpack"}), {"gfx942"}),
              "marker's");
  }
}

TEST_F(Load, PathPrefixComesFirst) {
  one("x.kpack", "gfx942", "marker's");
  set("ROCM_KPACK_PATH_PREFIX", one("y.kpack", "gfx906", "user's"));
  std::string M = marker("app", {"../x.kpack"});
  EXPECT_EQ(loadedOnce(M, {"gfx942"}), "marker's");
  EXPECT_EQ(loadedOnce(M, {"gfx906"}), "user's");
  set("ROCM_KPACK_PATH_PREFIX", one("z.kpack", "gfx942", "user's 942"));
  EXPECT_EQ(loadedOnce(M, {"gfx942"}), "user's 942");
}

TEST_F(Load, PathBeatsPathPrefix) {
  set("ROCM_KPACK_PATH_PREFIX", one("x.kpack", "gfx942", "prefix"));
  set("ROCM_KPACK_PATH", one("y.kpack", "gfx942", "path"));
  EXPECT_EQ(loadedOnce(marker("app", {"../x.kpack"}), {"gfx942"}), "path");
}

TEST_F(Load, AFolderInThePathHoldsWhatTheMarkerNames) {
  one("moved/app_gfx942.kpack", "gfx942", "code");
  set("ROCM_KPACK_PATH", path("moved"));
  EXPECT_EQ(loadedOnce(marker("app", {"../.kpack/app_@GFXARCH@.kpack"}),
                       {"gfx942:xnack-"}),
            "code");
  EXPECT_EQ(loadedOnce(marker("app", {"../.kpack/other_@GFXARCH@.kpack"}),
                       {"gfx942"}),
            "error 13");
}

TEST_F(Load, ThePlaceholderWorksInThePathToo) {
  one("all_gfx942.kpack", "gfx942", "code");
  set("ROCM_KPACK_PATH", path("all_@GFXARCH@.kpack"));
  EXPECT_EQ(loadedOnce(marker("app", {"x"}), {"gfx942:xnack-"}), "code");
  unsetenv("ROCM_KPACK_PATH");
  set("ROCM_KPACK_PATH_PREFIX", path("all_@GFXARCH@.kpack"));
  EXPECT_EQ(loadedOnce(marker("app", {"x"}), {"gfx942"}), "code");
}

TEST_F(Load, DisableStopsEverythingUnlessItIsZero) {
  std::string M = marker("app", {one("x.kpack", "gfx942", "code")});
  for (const char *Value : {"1", "yes", "true"}) {
    set("ROCM_KPACK_DISABLE", Value);
    EXPECT_EQ(loadedOnce(M, {"gfx942"}), "error 8");
  }
  for (const char *Value : {"", "0", "0x"}) {
    set("ROCM_KPACK_DISABLE", Value);
    EXPECT_EQ(loadedOnce(M, {"gfx942"}), "code");
  }
}

TEST_F(Load, DebugTellsEveryStep) {
  one("x_gfx942.kpack", "gfx942", "code");
  std::string M = marker("app", {"../none.kpack", "../x_@GFXARCH@.kpack"});
  EXPECT_EQ(captureStderr([&] { loadedOnce(M, {"gfx942"}); }), "");
  set("ROCM_KPACK_DEBUG", "0");
  EXPECT_EQ(captureStderr([&] { loadedOnce(M, {"gfx942"}); }), "");
  set("ROCM_KPACK_DEBUG", "1");
  std::string Text = captureStderr([&] {
    loadedOnce(M, {"gfx942"});
    loadedOnce(M, {"gfx906"});
    loadedOnce("\xc1", {"gfx942"});
  });
  for (const char *Part :
       {"kpack: ", "looking for 'app' for 'gfx942', 'gfx9-4-generic'",
        "none.kpack: no such archive", "x_gfx942.kpack: archive found",
        "app#0: 4 bytes for gfx942 from ", "no archive at any search path",
        "marker: "})
    EXPECT_NE(Text.find(Part), Text.npos) << Part << "\n" << Text;
}

TEST_F(Load, DebugOutputExplainsTheFailure) {
  set("ROCM_KPACK_DEBUG", "1");
  one("x.kpack", "gfx942", "code");
  const auto why = [&](const char *Path, const char *Device, uint32_t Index) {
    std::string Text = captureStderr(
        [&] { loadedOnce(marker("app", {Path}), {Device}, Index); });
    Text.pop_back();
    std::string Last = Text.substr(Text.rfind('\n') + 1);
    EXPECT_EQ(Last.find("kpack: "), 0u) << Last;
    return Last.substr(Last.find(": ", 7) + 2);
  };
  EXPECT_EQ(why("../none.kpack", "gfx942", 0),
            "no archive at any search path; install its archives with it, or "
            "name them with ROCM_KPACK_PATH");
  EXPECT_EQ(why("../x.kpack", "gfx1100", 0),
            "no archive for this device; build or install the one for its "
            "architecture");
  EXPECT_EQ(why("../x.kpack", "gfx942", 7),
            "no archive has 'app#7' for this device; build that source for its "
            "architecture");
  set("ROCM_KPACK_DISABLE", "1");
  EXPECT_EQ(why("../x.kpack", "gfx942", 0),
            "kpack is disabled; unset ROCM_KPACK_DISABLE");
}

TEST_F(Load, EnvironmentIsReadAtCacheCreation) {
  one("x.kpack", "gfx942", "marker's");
  Cache C = newCache();
  set("ROCM_KPACK_PATH", one("y.kpack", "gfx942", "user's"));
  set("ROCM_KPACK_DISABLE", "1");
  set("ROCM_KPACK_DEBUG", "1");
  EXPECT_EQ(captureStderr([&] {
              EXPECT_EQ(loaded(C, marker("app", {"../x.kpack"}), {"gfx942"}),
                        "marker's");
            }),
            "");
}

//===----------------------------------------------------------------------===//
// Threads and processes
//===----------------------------------------------------------------------===//

TEST_F(Load, SixteenThreadsShareACache) {
  ArchiveSpec Spec;
  std::vector<std::string> Codes;
  for (int I = 0; I != 32; ++I) {
    Codes.push_back(std::string(1000 + I, static_cast<char>('a' + I % 26)));
    Spec.Kernels.push_back({"app#" + std::to_string(I), "gfx942", Codes[I]});
  }
  archive("x_gfx942.kpack", Spec);
  file("bad.kpack", "damaged");
  std::string M = marker("app", {"../bad.kpack", "../x_@GFXARCH@.kpack"});
  Cache C = newCache();
  std::string Text = captureStderr([&] {
    std::vector<std::thread> Threads;
    std::atomic<int> Wrong{0};
    for (int T = 0; T != 16; ++T)
      Threads.emplace_back([&, T] {
        for (int I = 0; I != 100; ++I) {
          int Index = (I + T) % 32;
          if (loaded(C, M, {"gfx942:xnack-"}, Index) != Codes[Index])
            ++Wrong;
        }
      });
    for (std::thread &T : Threads)
      T.join();
    EXPECT_EQ(Wrong, 0);
  });
  EXPECT_EQ(linesIn(Text), 1) << Text;
}

TEST_F(Load, AForkInTheMiddleOfLoadsLeavesAWorkingCache) {
  std::string M = marker("app", {"../x_@GFXARCH@.kpack"});
  archive("x_gfx942.kpack",
          {{{"app#0", "gfx942", "code"}}, CompressionScheme::ZstdPerKernel});
  Cache C = newCache();
  std::atomic<bool> Stop{false};
  std::vector<std::thread> Threads;
  for (int T = 0; T != 4; ++T)
    Threads.emplace_back([&] {
      while (!Stop)
        EXPECT_EQ(loaded(C, M, {"gfx942"}), "code");
    });
  for (int I = 0; I != 50; ++I) {
    pid_t Child = fork();
    ASSERT_GE(Child, 0);
    if (Child == 0) {
      alarm(1200); // a lock that was held by another thread is for ever
      _exit(loaded(C, M, {"gfx942"}) == "code" &&
                    loaded(C, M, {"gfx942:xnack+"}) == "code"
                ? 0
                : 1);
    }
    int State = -1;
    ASSERT_EQ(waitpid(Child, &State, 0), Child);
    EXPECT_EQ(State, 0);
  }
  Stop = true;
  for (std::thread &T : Threads)
    T.join();
}
