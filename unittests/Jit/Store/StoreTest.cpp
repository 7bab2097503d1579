//===- StoreTest.cpp - tests of a directory of cache entries --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class StoreTest : public TestFolder {};

TEST_F(StoreTest, PublishedEntriesAreFound) {
  auto S = open();
  EXPECT_FALSE(S->find(key("a").Id));
  ASSERT_TRUE(S->publish(info("a"), "code of a").ok());
  ASSERT_TRUE(S->publish(info("b"), "code of b").ok());
  auto Found = S->find(key("a").Id);
  ASSERT_TRUE(Found);
  EXPECT_EQ(payload(*Found), "code of a");
  EXPECT_EQ(Found->Info.Name, "kernel of a");
  EXPECT_EQ(S->list().size(), 2u);
  // Replaced, and the old one is still what was found.
  ASSERT_TRUE(S->publish(info("a"), "new code of a").ok());
  EXPECT_EQ(payload(*Found), "code of a");
  EXPECT_EQ(payload(*S->find(key("a").Id)), "new code of a");
  // A second process sees them.
  EXPECT_EQ(payload(*open()->find(key("b").Id)), "code of b");
}

// rm -r cache/* below a program that runs.
TEST_F(StoreTest, EmptiedDirectoriesAreFilledAgain) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), "code").ok());
  for (const char *Name : {"objects", "locks", "quarantine", "pins"})
    std::filesystem::remove_all(Folder + "/cache/" + Name);
  EXPECT_FALSE(S->find(key("a").Id));
  ASSERT_TRUE(S->publish(info("a"), "code").ok());
  EXPECT_TRUE(S->find(key("a").Id));
  // The directory itself is another one then.
  std::filesystem::remove_all(Folder + "/cache");
  EXPECT_FALSE(S->publish(info("a"), "code").ok());
  EXPECT_FALSE(std::filesystem::exists(Folder + "/cache"));
}

TEST_F(StoreTest, DirectoryIsPrivate) {
  open();
  struct stat Info;
  ASSERT_EQ(::stat((Folder + "/cache").c_str(), &Info), 0);
  EXPECT_EQ(Info.st_mode & 07777, 0700u);
}

TEST_F(StoreTest, DirectoriesOthersWriteToAreRefused) {
  open();
  ASSERT_EQ(::chmod((Folder + "/cache").c_str(), 0777), 0);
  StoreOptions Options;
  Options.Directory = Folder + "/cache";
  auto Opened = Store::open(Options);
  ASSERT_FALSE(Opened.ok());
  EXPECT_EQ(Opened.status().code(), StatusCode::InvalidArgument);
  EXPECT_NE(Opened.status().message().find("others may write to it"),
            std::string::npos);
  Options.Directory = "relative";
  EXPECT_FALSE(Store::open(Options).ok());
}

TEST_F(StoreTest, MissingDirectoryIsExplained) {
  StoreOptions Options;
  EXPECT_NE(Store::open(Options).status().message().find("HOME is not set"),
            std::string::npos);
  // Not even root makes a folder there; the one in it then is not the reason.
  if (::access("/sys/kernel", F_OK) != 0)
    return;
  Options.Directory = "/sys/kpack-none/cache";
  auto Opened = Store::open(Options);
  ASSERT_FALSE(Opened.ok());
  EXPECT_EQ(Opened.status().message().find("No such file"), std::string::npos)
      << Opened.status().message();
}

TEST_F(StoreTest, DamagedEntriesAreQuarantinedAndRebuilt) {
  auto S = open();
  const std::string Path = pathOf("a");
  auto damage = [&](const std::string &Bytes) {
    write(Path, Bytes);
    std::string Defect;
    EXPECT_FALSE(S->find(key("a").Id, &Defect));
    EXPECT_FALSE(Defect.empty());
    EXPECT_FALSE(std::filesystem::exists(Path)) << "not put aside";
    ASSERT_TRUE(S->publish(info("a"), "code").ok());
    EXPECT_TRUE(S->find(key("a").Id));
  };
  ASSERT_TRUE(S->publish(info("a"), "code").ok());
  const std::string Whole = read(Path);
  damage("");
  damage(Whole.substr(0, Whole.size() / 2));
  std::string Flipped = Whole;
  Flipped[2] ^= 1;
  damage(Flipped);
  // Another key's entry under this name.
  ASSERT_TRUE(S->publish(info("b"), "code").ok());
  damage(read(pathOf("b")));
  // One that others could have written.
  ASSERT_EQ(::chmod(Path.c_str(), 0666), 0);
  EXPECT_FALSE(S->find(key("a").Id));
  EXPECT_FALSE(std::filesystem::exists(Path));
  // A pipe: must not block.
  ASSERT_EQ(::mkfifo(Path.c_str(), 0600), 0);
  EXPECT_FALSE(S->find(key("a").Id));
}

TEST_F(StoreTest, RejectRemovesOnlyTheFoundEntry) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), "of another machine").ok());
  auto Found = S->find(key("a").Id);
  ASSERT_TRUE(S->publish(info("a"), "good").ok());
  EXPECT_FALSE(S->reject(*Found, "of another machine"));
  Found = S->find(key("a").Id);
  ASSERT_TRUE(Found);
  EXPECT_EQ(payload(*Found), "good");
  EXPECT_TRUE(S->reject(*Found, "not liked"));
  EXPECT_FALSE(S->find(key("a").Id));
}

// Bad and good entries take each other's place while others look: nothing good
// is put aside, and the last one, which is good, is there in the end.
TEST_F(StoreTest, GoodEntriesAreNotQuarantinedForBadOnes) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), "good").ok());
  std::atomic<bool> Done{false};
  std::vector<std::thread> Readers;
  for (int T = 0; T != 3; ++T)
    Readers.emplace_back([&] {
      while (!Done)
        S->find(key("a").Id);
    });
  for (int I = 0; I != 60; ++I) {
    write(Folder + "/bad", "bad " + std::to_string(I));
    std::filesystem::rename(Folder + "/bad", pathOf("a"));
    EXPECT_TRUE(S->publish(info("a"), "good").ok());
  }
  Done = true;
  for (std::thread &T : Readers)
    T.join();
  EXPECT_TRUE(S->find(key("a").Id));
  for (const auto &File :
       std::filesystem::directory_iterator(Folder + "/cache/quarantine"))
    EXPECT_FALSE(decodeEntry(read(File.path().string())).ok()) << File.path();
}

TEST_F(StoreTest, TimesOfAWrongClockAreCorrected) {
  auto S = open();
  const uint64_t Now = static_cast<uint64_t>(::time(nullptr));
  auto setTime = [&](const std::string &Name, long Time) {
    const timespec Times[2] = {{Time, 0}, {Time, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, pathOf(Name).c_str(), Times, 0), 0);
  };
  auto lastUse = [&](const std::string &Name) {
    struct stat Info{};
    EXPECT_EQ(::stat(pathOf(Name).c_str(), &Info), 0);
    return static_cast<uint64_t>(Info.st_mtime);
  };
  ASSERT_TRUE(S->publish(info("a"), "code").ok());
  ASSERT_TRUE(S->publish(info("b"), "code").ok());
  for (long Wrong : {long(Now) + 1000000, 1L, -5L, -1000000L}) {
    setTime("a", Wrong);
    EXPECT_TRUE(S->find(key("a").Id));
    EXPECT_GE(lastUse("a"), Now) << Wrong;
    EXPECT_LT(lastUse("a"), Now + 100000) << Wrong;
  }
  setTime("b", long(Now) + 1000000);
  ASSERT_TRUE(S->prune(StoreLimits()).ok());
  EXPECT_LT(lastUse("b"), Now + 100000) << "stays the last used for days";
}

TEST_F(StoreTest, AnotherSchemaIsLeftInPlace) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), "code").ok());
  std::string Bytes = read(pathOf("a"));
  Bytes[Bytes.size() - EntryFooterSize] = 2;
  write(pathOf("a"), Bytes);
  std::string Defect;
  EXPECT_FALSE(S->find(key("a").Id, &Defect));
  EXPECT_EQ(Defect, "");
  EXPECT_EQ(read(pathOf("a")), Bytes);
}

TEST_F(StoreTest, ReadOnlyLayerIsNotTouched) {
  ASSERT_TRUE(open()->publish(info("a"), "code").ok());
  auto S = open(true);
  EXPECT_TRUE(S->find(key("a").Id));
  EXPECT_FALSE(S->publish(info("b"), "code").ok());
  write(pathOf("a"), "damaged");
  EXPECT_FALSE(S->find(key("a").Id));
  EXPECT_TRUE(std::filesystem::exists(pathOf("a")));
}

TEST_F(StoreTest, PruneRemovesTheLeastRecentlyUsed) {
  auto S = open();
  for (int I = 0; I != 5; ++I) {
    const std::string Name(1, char('a' + I));
    ASSERT_TRUE(S->publish(info(Name), std::string(1000, 'x')).ok());
    const timespec Times[2] = {{1000 + I, 0}, {1000 + I, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, pathOf(Name).c_str(), Times, 0), 0);
  }
  const uint64_t Size = std::filesystem::file_size(pathOf("a"));
  ASSERT_TRUE(S->pin(key("a").Id, true).ok());
  StoreLimits Limits;
  Limits.Bytes = 3 * Size;
  ASSERT_TRUE(S->prune(Limits).ok());
  EXPECT_EQ(S->list().size(), 3u);
  // a is pinned, d and e were used last.
  for (const char *Kept : {"a", "d", "e"})
    EXPECT_TRUE(S->find(key(Kept).Id)) << Kept;
  for (const char *Gone : {"b", "c"})
    EXPECT_FALSE(S->find(key(Gone).Id)) << Gone;
  Limits = StoreLimits();
  Limits.AgeSeconds = 3600; // finding them has set the time of use
  EXPECT_TRUE(S->prune(Limits).ok());
  EXPECT_EQ(S->list().size(), 3u);
  Limits.Entries = 1;
  EXPECT_TRUE(S->prune(Limits).ok());
  EXPECT_EQ(S->list().size(), 1u);
  EXPECT_TRUE(S->find(key("a").Id));
  ASSERT_TRUE(S->pin(key("a").Id, false).ok());
}

TEST_F(StoreTest, StampsOfTheFutureCountAsNow) {
  const uint64_t Now = 1000000;
  std::vector<StoreItem> Items;
  for (const char *Name : {"future", "now", "old"})
    Items.push_back({key(Name).Id, 100, 0, false, false});
  Items[0].LastUse = UINT64_MAX;
  Items[1].LastUse = Now;
  Items[2].LastUse = Now - 10;
  StoreLimits Limits;
  Limits.Entries = 2;
  std::vector<StoreItem> Over = itemsOver(Limits, Items, Now);
  ASSERT_EQ(Over.size(), 1u);
  EXPECT_EQ(Over[0].Id, key("old").Id);
  Limits.Entries = 0;
  Limits.AgeSeconds = UINT64_MAX;
  EXPECT_EQ(itemsOver(Limits, Items, Now).size(), 0u);
  Limits.AgeSeconds = 9;
  EXPECT_EQ(itemsOver(Limits, Items, Now).size(), 1u);
}

TEST_F(StoreTest, ANewEntryIsNotPushedOut) {
  StoreOptions Options;
  Options.Directory = Folder + "/cache";
  Options.Limits.Entries = 3;
  auto S = Store::open(Options);
  ASSERT_TRUE(S.ok());
  // By stamps of the future, or of the same second.
  for (int I = 0; I != 40; ++I) {
    const std::string Name = std::to_string(I);
    ASSERT_TRUE((*S)->publish(info(Name), "code").ok());
    (*S)->pruneSometimes(key(Name).Id);
    EXPECT_TRUE((*S)->find(key(Name).Id)) << I;
    EXPECT_LE((*S)->list().size(), 3u);
    const timespec Times[2] = {{4102444800, 0}, {4102444800, 0}};
    if (I % 2)
      ASSERT_EQ(::utimensat(AT_FDCWD, pathOf(Name).c_str(), Times, 0), 0);
  }
  // By a limit that nothing fits into it is.
  StoreLimits Small;
  Small.Bytes = 1;
  const Digest Last = key("39").Id;
  ASSERT_TRUE((*S)->prune(Small, &Last).ok());
  EXPECT_EQ((*S)->list().size(), 0u);
}

TEST_F(StoreTest, EvictionDoesNotTakeAReadersFileAway) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), "code").ok());
  auto Found = S->find(key("a").Id);
  ASSERT_TRUE(S->remove(key("a").Id).ok());
  EXPECT_EQ(payload(*Found), "code");
}

TEST_F(StoreTest, ADefectNamesTheFile) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), "code").ok());
  ASSERT_TRUE(S->publish(info("b"), "code").ok());
  write(pathOf("b"), "x");
  std::string Defect;
  EXPECT_TRUE(S->find(key("a").Id, &Defect));
  EXPECT_EQ(Defect, "");
  EXPECT_FALSE(S->find(key("b").Id, &Defect));
  EXPECT_NE(Defect.find(key("b").hex()), std::string::npos);
}

TEST_F(StoreTest, WritersAndReadersTogether) {
  auto S = open();
  const std::string One(100000, '1'), Two(200000, '2');
  std::vector<std::thread> Threads;
  for (const std::string *Code : {&One, &Two})
    Threads.emplace_back([&, Code] {
      for (int I = 0; I != 20; ++I)
        EXPECT_TRUE(S->publish(info("a"), *Code).ok());
    });
  for (int T = 0; T != 2; ++T)
    Threads.emplace_back([&] {
      for (int I = 0; I != 50; ++I)
        if (auto Found = S->find(key("a").Id)) {
          const std::string Code = payload(*Found);
          EXPECT_TRUE(Code == One || Code == Two);
        }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_TRUE(std::filesystem::is_empty(Folder + "/cache/quarantine"));
}

TEST_F(StoreTest, DescribeReadsNoPayload) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), "code of a").ok());
  std::string Bytes = read(pathOf("a"));
  Bytes[0] ^= 1; // the payload: only find() looks at that
  write(pathOf("a"), Bytes);
  auto Found = S->describe(key("a").Id);
  ASSERT_TRUE(Found.ok()) << Found.status().message();
  EXPECT_EQ(Found->Info.Name, "kernel of a");
  EXPECT_EQ(Found->Info.Key.Fields, key("a").Fields);
  EXPECT_EQ(Found->PayloadSize, strlen("code of a"));
  EXPECT_EQ(Found->FileSize, Bytes.size());
  EXPECT_EQ(S->describe(key("b").Id).status().code(), StatusCode::FileNotFound);
  for (size_t Size = 0; Size < Bytes.size(); Size += 7) {
    write(pathOf("a"), Bytes.substr(0, Size));
    EXPECT_EQ(S->describe(key("a").Id).status().code(),
              StatusCode::InvalidFormat);
  }
  // Nothing was moved aside.
  EXPECT_TRUE(std::filesystem::exists(pathOf("a")));
}

} // namespace
