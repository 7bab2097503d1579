//===- PartsTest.cpp - tests of internal parts of the loader --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cannot be seen through the C API: the table without locks, lines of
// /proc/self/maps, the order of targets and paths.
//
//===----------------------------------------------------------------------===//
#include "Runtime/ArchivePaths.h"
#include "Runtime/ArchiveSearch.h"
#include "Runtime/BinaryPath.h"
#include "Runtime/Environment.h"
#include "Runtime/GrowOnlyTable.h"
#include "Runtime/ReadableMemory.h"
#include "kpack/Support/TargetId.h"

#include "RuntimeFixture.h"

#include <algorithm>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::runtime;

namespace {
class ArchiveCacheTest : public kpack::testing::RuntimeFixture {};
using Strings = std::vector<std::string>;
} // namespace

TEST(GrowOnlyTable, KeepsOneOfEqualValues) {
  GrowOnlyTable<int> Table;
  auto is = [](int Wanted) { return [=](int V) { return V == Wanted; }; };
  EXPECT_EQ(Table.find(7, is(1)), nullptr);
  auto [First, IsNew] = Table.insert(7, std::make_unique<int>(1), is(1));
  EXPECT_TRUE(IsNew);
  auto [Again, IsNewAgain] = Table.insert(7, std::make_unique<int>(1), is(1));
  EXPECT_FALSE(IsNewAgain);
  EXPECT_EQ(First, Again);
  // Same chain, other hash; same hash, other value.
  Table.insert(7 + 256, std::make_unique<int>(2), is(2));
  Table.insert(7, std::make_unique<int>(3), is(3));
  EXPECT_EQ(Table.find(7, is(1)), First);
  EXPECT_EQ(Table.find(7, is(2)), nullptr);
  EXPECT_EQ(*Table.find(7 + 256, is(2)), 2);
}

TEST(GrowOnlyTable, ThreadsInsertEachValueOnce) {
  constexpr int Values = 1000;
  GrowOnlyTable<int> Table;
  std::atomic<int> New{0};
  std::vector<std::thread> Threads;
  for (int T = 0; T != 8; ++T)
    Threads.emplace_back([&] {
      for (int V = 0; V != Values; ++V)
        if (Table
                .insert(V % 3, std::make_unique<int>(V),
                        [=](int Other) { return Other == V; })
                .second)
          ++New;
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(New, Values);
}

TEST(PathList, DropsEmptyItems) {
  EXPECT_EQ(splitPathList("", ':'), Strings{});
  EXPECT_EQ(splitPathList(":::", ':'), Strings{});
  EXPECT_EQ(splitPathList(":a::b c:", ':'), (Strings{"a", "b c"}));
  EXPECT_EQ(splitPathList("C:\\a;b", ';'), (Strings{"C:\\a", "b"}));
}

TEST(ReadableMemory, EndsAtTheFirstPageThatCannotBeRead) {
  const size_t Page = sysconf(_SC_PAGESIZE);
  char *Start =
      static_cast<char *>(mmap(nullptr, 3 * Page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(Start, MAP_FAILED);
  ASSERT_EQ(mprotect(Start + 2 * Page, Page, PROT_NONE), 0);
  EXPECT_EQ(readableBytes(Start, 10).size(), 10u);
  EXPECT_EQ(readableBytes(Start + 5, 1 << 20).size(), 2 * Page - 5);
  EXPECT_EQ(readableBytes(Start + 5, 1 << 20).data(), Start + 5);
  EXPECT_EQ(readableBytes(Start, 2 * Page).size(), 2 * Page);
  EXPECT_EQ(readableBytes(Start + 2 * Page - 1, 1).size(), 1u);
  EXPECT_EQ(readableBytes(Start + 2 * Page - 1, 2).size(), 1u);
  EXPECT_EQ(readableBytes(Start + 2 * Page, 1).size(), 0u);
  EXPECT_EQ(readableBytes(Start, 0).size(), 0u);
  EXPECT_EQ(readableBytes(reinterpret_cast<void *>(16), 8).size(), 0u);
  munmap(Start, 3 * Page);
}

TEST(ReadableMemory, SeesThatAMappedFileWasCutShort) {
  const size_t Page = sysconf(_SC_PAGESIZE);
  FILE *File = tmpfile();
  ASSERT_NE(File, nullptr);
  ASSERT_EQ(ftruncate(fileno(File), 2 * Page), 0);
  char *Start = static_cast<char *>(
      mmap(nullptr, 2 * Page, PROT_READ, MAP_PRIVATE, fileno(File), 0));
  ASSERT_NE(Start, MAP_FAILED);
  EXPECT_EQ(readableBytes(Start, 2 * Page).size(), 2 * Page);
  ASSERT_EQ(ftruncate(fileno(File), Page), 0);
  EXPECT_EQ(readableBytes(Start, 2 * Page).size(), Page);
  munmap(Start, 2 * Page);
  fclose(File);
}

TEST(MapsLine, ParsesAllFields) {
  auto L = parseMapsLine("7f00deadb000-7f00deadc000 r--p 0001c000 fd:01 12345 "
                         "                    /opt/my app/x.so");
  ASSERT_TRUE(L.has_value());
  EXPECT_EQ(L->Begin, 0x7f00deadb000u);
  EXPECT_EQ(L->End, 0x7f00deadc000u);
  EXPECT_EQ(L->FileOffset, 0x1c000u);
  EXPECT_EQ(L->Device, makedev(0xfd, 1));
  EXPECT_EQ(L->Inode, 12345u);
  EXPECT_EQ(L->Name, "/opt/my app/x.so");

  L = parseMapsLine("7f00deadb000-7f00deadc000 rw-p 00000000 00:00 0 ");
  ASSERT_TRUE(L.has_value());
  EXPECT_EQ(L->Name, "");
  L = parseMapsLine("7f00deadb000-7f00deadc000 rw-p 00000000 00:00 0");
  ASSERT_TRUE(L.has_value());
  EXPECT_EQ(L->Name, "");
}

TEST(MapsLine, RefusesMalformedLines) {
  for (const char *Text :
       {"", "x", "1-", "1-2", "1-2 r", "1-2 r-xp zz", "1-2 r-xp 0 00:00 x",
        "fffffffffffffffff-2 r 0 0:0 0"})
    EXPECT_FALSE(parseMapsLine(Text).has_value()) << Text;
}

TEST(MapsLine, OnlyAPathLosesTheDeletedSuffix) {
  MapsLine L{};
  L.Name = "/no/such/file (deleted)";
  EXPECT_EQ(mapsLinePath(L), "/no/such/file");
  L.Name = "/no/such\\012file (deleted)";
  EXPECT_EQ(mapsLinePath(L), "/no/such\nfile");
  L.Name = "/memfd:code (deleted)";
  EXPECT_EQ(mapsLinePath(L), "/memfd:code (deleted)");
  L.Name = "/";
  EXPECT_EQ(mapsLinePath(L), "/");
}

TEST(Targets, ExactTargetsComeBeforeGenericOnes) {
  EXPECT_EQ(
      targetsOf({"gfx942:xnack+", "gfx1100"}),
      (Strings{"gfx942:xnack+", "gfx942", "gfx1100", "gfx9-4-generic:xnack+",
               "gfx9-4-generic", "gfx11-generic"}));
  EXPECT_EQ(targetsOf({"gfx1100", "gfx11-generic", "gfx1100"}),
            (Strings{"gfx1100", "gfx11-generic"}));
  EXPECT_EQ(targetsOf({}), Strings{});
}

TEST(ArchivePaths, AreInTheOrderOfTheShippedLoader) {
  Marker M;
  M.SearchPaths = {"../a_@GFXARCH@.kpack", "/abs/b.kpack", "c.kpack"};
  Environment Env;
  Env.PathPrefix = {"/user/p.kpack"};
  EXPECT_EQ(archivePaths(M, "/opt/bin/app", Env, {"gfx942", "gfx906"}),
            (Strings{"/user/p.kpack", "/opt/bin/../a_gfx942.kpack",
                     "/opt/bin/../a_gfx906.kpack", "/abs/b.kpack",
                     "/opt/bin/c.kpack"}));
  Env.Paths = {"rel.kpack", "q_@GFXARCH@.kpack", "rel.kpack"};
  EXPECT_EQ(archivePaths(M, "/opt/bin/app", Env, {"gfx942"}),
            (Strings{"rel.kpack", "q_gfx942.kpack"}));
}

TEST(ArchivePaths, PlaceholderInTheBinarysFolderIsLiteral) {
  Marker M;
  M.SearchPaths = {"x_@GFXARCH@.kpack"};
  EXPECT_EQ(archivePaths(M, "/odd@GFXARCH@/app", {}, {"gfx942"}),
            (Strings{"/odd@GFXARCH@/x_gfx942.kpack"}));
  // As file names have a target, and with the colons of other tools.
  EXPECT_EQ(archivePaths(M, "/b/app", {}, {"gfx90a:xnack-", "gfx90a"}),
            (Strings{"/b/x_gfx90a-xnack-.kpack", "/b/x_gfx90a:xnack-.kpack",
                     "/b/x_gfx90a.kpack"}));
}

// What one marker can ask for is bounded: 500 templates and a device name with
// eight features are 256,000 files.
TEST(ArchivePaths, NumberOfPathsIsLimited) {
  Marker M;
  for (size_t I = 0; I != MaxArchivePaths; ++I)
    M.SearchPaths.push_back(std::to_string(I) + ".kpack");
  bool IsCut = true;
  Strings All = archivePaths(M, "/bin/app", {}, {"gfx942"}, &IsCut);
  EXPECT_EQ(All.size(), MaxArchivePaths);
  EXPECT_FALSE(IsCut);
  M.SearchPaths.push_back("one-more.kpack");
  EXPECT_EQ(archivePaths(M, "/bin/app", {}, {"gfx942"}, &IsCut), All);
  EXPECT_TRUE(IsCut);

  M.SearchPaths.assign(500, "");
  for (size_t I = 0; I != M.SearchPaths.size(); ++I)
    M.SearchPaths[I] = std::to_string(I) + "_@GFXARCH@.kpack";
  Strings Targets =
      targetsOf({"gfx942:a+:b+:c+:d+:e+:f+:g+:h+", "gfx1100:a+:b+"});
  EXPECT_EQ(Targets.size(), 256u + 4 + 256 + 4);
  All = archivePaths(M, "/bin/app", {}, Targets, &IsCut);
  EXPECT_EQ(All.size(), MaxArchivePaths);
  EXPECT_TRUE(IsCut);
  EXPECT_EQ(All.front(),
            "/bin/0_" + targetFileName(Targets.front()) + ".kpack");

  // Repeated ones are counted: they take time too.
  M.SearchPaths.assign(6000, "@GFXARCH@");
  const auto Respelled =
      std::count_if(Targets.begin(), Targets.end(), [](const std::string &T) {
        return targetFileName(T) != T;
      });
  EXPECT_EQ(archivePaths(M, "/bin/app", {}, Targets, &IsCut).size(),
            Targets.size() + Respelled);
  EXPECT_TRUE(IsCut);
  EXPECT_EQ(archivePaths(M, "/bin/app", {}, {}, &IsCut), Strings{});
  EXPECT_FALSE(IsCut);
}

TEST(ArchivePaths, ParentsAreTakenOutByName) {
  EXPECT_EQ(withoutParents("/a/b/../c.kpack"), "/a/c.kpack");
  EXPECT_EQ(withoutParents("/a/../../c"), "/c");
  EXPECT_EQ(withoutParents("//a/.//b/x/y/../../c"), "/a/b/c");
  EXPECT_EQ(withoutParents("a/../../b"), "../b");
  EXPECT_EQ(withoutParents("../../b"), "../../b");
  EXPECT_EQ(withoutParents("a/..b/c"), "a/..b/c");
}

TEST_F(ArchiveCacheTest, LinksShareOneArchive) {
  std::string Path = archive("x.kpack", {{{"app#0", "gfx942", "code"}}});
  std::filesystem::create_symlink(Path, path("link.kpack"));
  ArchiveCache Cache;
  CachedArchive *A = Cache.get(Path);
  ASSERT_NE(A, nullptr);
  EXPECT_EQ(Cache.get(path("link.kpack")), A);
  EXPECT_EQ(Cache.get(path("./x.kpack")), A);
  EXPECT_NE(A->reader(), nullptr);
  EXPECT_EQ(A->reader(), A->reader());
}

TEST_F(ArchiveCacheTest, TakesRegularFilesOnly) {
  ArchiveCache Cache;
  EXPECT_EQ(Cache.get(Folder), nullptr);
  EXPECT_EQ(Cache.get(path("none")), nullptr);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(Cache.get(path("pipe")), nullptr);
}

TEST_F(ArchiveCacheTest, TransientFailureIsRetried) {
  std::string Path = archive("x.kpack", {{{"app#0", "gfx942", "code"}}});
  ArchiveCache Cache;
  CachedArchive *First = Cache.get(Path);
  std::filesystem::rename(Path, path("away"));
  EXPECT_EQ(First->reader(), nullptr);
  EXPECT_EQ(First->failure().code(), StatusCode::FileNotFound);
  std::filesystem::rename(path("away"), Path);
  CachedArchive *Second = Cache.get(Path);
  EXPECT_NE(Second, First);
  EXPECT_NE(Second->reader(), nullptr);
}

TEST_F(ArchiveCacheTest, SearchReportsEachPlace) {
  archive("one.kpack", {{{"app#0", "gfx942", "code"}},
                        CompressionScheme::ZstdPerKernel,
                        {{"app", "now"}}});
  file("two.kpack", "rubbish");
  Marker M;
  M.KernelName = "app";
  M.SearchPaths = {"../none.kpack", "../one.kpack", "../two.kpack"};
  ArchiveSearch Search(Environment{});
  // The binary's folder is gone: a path through it leads nowhere.
  std::vector<ArchivePlace> Places =
      Search.places(M, path("deleted/app"), {"gfx942"});
  ASSERT_EQ(Places.size(), 3u);
  EXPECT_EQ(Places[0].Path, path("deleted/../none.kpack"));
  EXPECT_EQ(Places[0].Archive, nullptr);
  EXPECT_EQ(Places[0].Error, 0);
  ASSERT_TRUE(Places[1].Archive && Places[2].Archive);

  for (const char *Same : {"", "now"}) {
    OpenArchive Opened = Search.open(*Places[1].Archive, "app", Same);
    ASSERT_NE(Opened.Reader, nullptr);
    EXPECT_EQ(Opened.Refusal, "");
    EXPECT_TRUE(hasTarget(*Opened.Reader, "gfx942"));
    EXPECT_FALSE(hasTarget(*Opened.Reader, "gfx90a"));
  }
  EXPECT_EQ(Search.open(*Places[1].Archive, "app", "before").Refusal,
            "belongs to another build of this binary (archive_id 'now', the "
            "binary wants 'before')");
  ::testing::internal::CaptureStderr();
  for (int Twice = 0; Twice != 2; ++Twice)
    EXPECT_EQ(Search.open(*Places[2].Archive, "app", "").Reader, nullptr);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "kpack: warning: " + Places[2].Archive->failure().message() + "\n");
}
