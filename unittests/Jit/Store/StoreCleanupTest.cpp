//===- StoreCleanupTest.cpp - tests of the removal of stale files ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Store/CompileLock.h"

#include <atomic>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>

using namespace kpack;
using namespace kpack::jit;

namespace {

class StoreCleanupTest : public TestFolder {
protected:
  static bool never() { return false; }
  static void setTime(const std::string &Path, long Time) {
    const timespec Times[2] = {{Time, 0}, {Time, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, Path.c_str(), Times, 0), 0);
  }
  size_t filesIn(const std::string &Name) {
    size_t Count = 0;
    for (const auto &File :
         std::filesystem::directory_iterator(Folder + "/cache/" + Name)) {
      (void)File;
      ++Count;
    }
    return Count;
  }
  const long Now = static_cast<long>(::time(nullptr));
};

TEST_F(StoreCleanupTest, AbandonedTemporaryFilesGo) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), "code").ok());
  const std::string Prefix =
      std::filesystem::path(pathOf("a")).parent_path().string() + "/tmp-1-2-3-";
  for (const char *Name : {"old", "new", "soon", "future"})
    write(Prefix + Name, "x");
  setTime(Prefix + "old", 1000);
  setTime(Prefix + "soon", Now + 600);
  setTime(Prefix + "future", Now + 10 * 24 * 3600);
  ASSERT_TRUE(S->prune(StoreLimits()).ok());
  EXPECT_FALSE(std::filesystem::exists(Prefix + "old"));
  EXPECT_FALSE(std::filesystem::exists(Prefix + "future"));
  EXPECT_TRUE(std::filesystem::exists(Prefix + "new"));
  EXPECT_TRUE(std::filesystem::exists(Prefix + "soon"));
  EXPECT_TRUE(S->find(key("a").Id));
}

TEST_F(StoreCleanupTest, LocksGoUnlessSomebodyHasThem) {
  auto S = open();
  const std::string Locks = Folder + "/cache/locks/";
  write(Locks + "old", "123 1000 host\n");
  write(Locks + "future", "");
  setTime(Locks + "future", Now + 1000000);
  ASSERT_EQ(::mkfifo((Locks + "fifo").c_str(), 0600), 0); // must not block
  {
    CompileLock Held;
    ASSERT_EQ(Held.acquire(*S, key("a").Id, 0, never, nullptr),
              CompileLock::Outcome::Owner);
    ASSERT_TRUE(S->prune(StoreLimits()).ok());
    EXPECT_FALSE(std::filesystem::exists(Locks + "old"));
    EXPECT_FALSE(std::filesystem::exists(Locks + "future"));
    EXPECT_TRUE(std::filesystem::exists(Locks + key("a").hex()));
    // It is the same lock still, not one of the same name.
    CompileLock Second;
    EXPECT_EQ(Second.acquire(*S, key("a").Id, 0, never, nullptr),
              CompileLock::Outcome::Unlocked);
  }
  EXPECT_FALSE(std::filesystem::exists(Locks + key("a").hex()));
}

// Locks are taken and given back while others remove what nobody holds: never
// are there two owners.
TEST_F(StoreCleanupTest, CleaningDoesNotMakeTwoOwners) {
  auto S = open();
  std::atomic<int> Owners{0}, Left{3};
  std::vector<std::thread> Threads;
  for (int T = 0; T != 3; ++T)
    Threads.emplace_back([&] {
      for (int I = 0; I != 60; ++I) {
        CompileLock F;
        ASSERT_EQ(F.acquire(*S, key("a").Id, 600, never, nullptr),
                  CompileLock::Outcome::Owner);
        EXPECT_EQ(++Owners, 1);
        --Owners;
      }
      --Left;
    });
  Threads.emplace_back([&] {
    while (Left)
      EXPECT_TRUE(S->prune(StoreLimits()).ok());
  });
  for (std::thread &T : Threads)
    T.join();
}

TEST_F(StoreCleanupTest, QuarantineHasLimits) {
  auto S = open();
  const std::string Aside = Folder + "/cache/quarantine/";
  auto put = [&](long Time, int Ordinal) {
    const std::string Name = Aside + key("a").hex() + "-" +
                             std::to_string(Time) + "-" +
                             std::to_string(Ordinal);
    write(Name, "bad");
    write(Name + ".txt", "why");
  };
  put(Now - 31L * 24 * 3600, 0);
  put(Now - 29L * 24 * 3600, 1);
  put(Now + 1000000, 2);
  put(Now + 31L * 24 * 3600, 3);
  ASSERT_TRUE(S->prune(StoreLimits()).ok());
  EXPECT_EQ(filesIn("quarantine"), 4u);
  // A directory in an entry's place, and what is not ours at all.
  std::filesystem::create_directory(Aside + key("b").hex() + "-1");
  write(Aside + "-", "");
  write(Aside + "README.txt", "");
  for (int I = 0; I != 100; ++I)
    put(Now - I, 3 + I);
  ASSERT_TRUE(S->prune(StoreLimits()).ok());
  EXPECT_EQ(filesIn("quarantine"), 2 * 64u);
  EXPECT_TRUE(std::filesystem::exists(Aside + key("a").hex() + "-" +
                                      std::to_string(Now) + "-3"));
}

TEST_F(StoreCleanupTest, QuarantinedFilesHaveUniqueNames) {
  auto S = open();
  for (int I = 0; I != 5; ++I) {
    ASSERT_TRUE(S->publish(info("a"), "code").ok());
    write(pathOf("a"), "damaged " + std::to_string(I));
    EXPECT_FALSE(S->find(key("a").Id));
  }
  EXPECT_EQ(filesIn("quarantine"), 10u);
}

} // namespace
