//===- CacheTest.cpp - look up, or compile once ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Cache.h"
#include "TestFolder.h"

#include <atomic>
#include <csignal>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class CacheTest : public TestFolder {
protected:
  std::unique_ptr<Cache> openCache(CacheMode Mode = CacheMode::ReadWrite) {
    CacheOptions Options;
    Options.Directory = Folder + "/cache";
    Options.Mode = Mode;
    Options.PrebuildHint = "run the prebuild command";
    Options.OnEvent = [this](const CacheEvent &Event) {
      std::lock_guard<std::mutex> Guard(Lock);
      Events.push_back(Event);
    };
    auto Opened = Cache::open(std::move(Options));
    EXPECT_TRUE(Opened.ok()) << Opened.status().message();
    return std::move(*Opened);
  }
  static CacheRequest request(const std::string &Source) {
    CacheRequest Request;
    Request.Key = key(Source);
    Request.Name = "kernel of " + Source;
    Request.Target = "gfx90a";
    return Request;
  }
  Result<Product> compile(const std::string &Code) {
    ++Compiles;
    return Product{Code, "log of " + Code};
  }
  Result<StoredEntry> get(Cache &C, const std::string &Source,
                          const std::string &Code) {
    return C.get(request(Source), [&] { return compile(Code); });
  }
  /// Puts \p Code for "a" into the cache, as another process would.
  void fill(const std::string &Code) {
    EXPECT_TRUE(get(*openCache(), "a", Code).ok());
  }
  bool hasEvent(CacheEvent::Kind What) {
    std::lock_guard<std::mutex> Guard(Lock);
    for (const CacheEvent &Event : Events)
      if (Event.What == What)
        return true;
    return false;
  }

  std::atomic<int> Compiles{0};
  std::mutex Lock;
  std::vector<CacheEvent> Events;
};

TEST_F(CacheTest, CompilesOnce) {
  auto C = openCache();
  EXPECT_EQ(payload(*get(*C, "a", "code")), "code");
  EXPECT_EQ(payload(*get(*C, "a", "never")), "code");
  // So does the next process.
  auto Next = openCache();
  auto Found = get(*Next, "a", "never");
  EXPECT_EQ(payload(*Found), "code");
  EXPECT_EQ(Found->Info.Log, "log of code");
  EXPECT_EQ(Compiles, 1);
  EXPECT_EQ(Next->statistics().Hits, 1u);
  EXPECT_EQ(C->statistics().Misses, 1u);
  EXPECT_EQ(C->statistics().Compiles, 1u);
}

TEST_F(CacheTest, ThreadsShareOneCompile) {
  auto C = openCache();
  std::vector<std::thread> Threads;
  for (int T = 0; T != 8; ++T)
    Threads.emplace_back([&] {
      auto Found = get(*C, "a", "code");
      ASSERT_TRUE(Found.ok());
      EXPECT_EQ(payload(*Found), "code");
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Compiles, 1);
}

// Every process appends a byte to a file when it compiles.
TEST_F(CacheTest, ProcessesShareOneCompile) {
  std::vector<pid_t> Children;
  for (int P = 0; P != 16; ++P) {
    const pid_t Child = ::fork();
    if (Child == 0) {
      auto C = openCache();
      auto Found = C->get(request("a"), [&]() -> Result<Product> {
        std::ofstream(Folder + "/compiles", std::ios::app) << 'c';
        return Product{"code", ""};
      });
      ::_exit(Found.ok() && payload(*Found) == "code" ? 0 : 1);
    }
    Children.push_back(Child);
  }
  for (pid_t Child : Children) {
    int Status = -1;
    ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
    EXPECT_EQ(Status, 0);
  }
  EXPECT_EQ(read(Folder + "/compiles"), "c");
}

// The first to compile is killed in the middle; one of the others goes on.
TEST_F(CacheTest, KilledCompilerIsReplaced) {
  std::vector<pid_t> Children;
  for (int P = 0; P != 8; ++P) {
    const pid_t Child = ::fork();
    if (Child == 0) {
      auto C = openCache();
      auto Found = C->get(request("a"), [&]() -> Result<Product> {
        const bool First = ::mkdir((Folder + "/first").c_str(), 0700) == 0;
        if (First)
          ::raise(SIGKILL);
        std::ofstream(Folder + "/compiles", std::ios::app) << 'c';
        return Product{"code", ""};
      });
      ::_exit(Found.ok() && payload(*Found) == "code" ? 0 : 1);
    }
    Children.push_back(Child);
  }
  int Killed = 0;
  for (pid_t Child : Children) {
    int Status = -1;
    ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
    if (WIFSIGNALED(Status))
      ++Killed;
    else
      EXPECT_EQ(Status, 0);
  }
  EXPECT_EQ(Killed, 1);
  EXPECT_EQ(read(Folder + "/compiles"), "c");
}

TEST_F(CacheTest, FailuresAreRememberedAndToldToEverybody) {
  auto C = openCache();
  auto fail = [&]() -> Result<Product> {
    ++Compiles;
    return Status(StatusCode::InvalidArgument, "a.cpp:1: expected ';'");
  };
  for (int I = 0; I != 3; ++I) {
    auto Found = C->get(request("a"), fail);
    ASSERT_FALSE(Found.ok());
    EXPECT_EQ(Found.status().message(), "a.cpp:1: expected ';'");
  }
  EXPECT_EQ(Compiles, 1);
  EXPECT_TRUE(hasEvent(CacheEvent::Kind::Failed));
  // Another key is not concerned.
  EXPECT_TRUE(get(*C, "b", "code").ok());
}

TEST_F(CacheTest, StrictModeNamesKernelAndCommand) {
  fill("code");
  auto C = openCache(CacheMode::Strict);
  EXPECT_TRUE(get(*C, "a", "never").ok());
  auto Missing = get(*C, "b", "never");
  ASSERT_FALSE(Missing.ok());
  EXPECT_EQ(Missing.status().code(), StatusCode::KernelNotFound);
  EXPECT_EQ(Missing.status().message(),
            "kernel of b: not in the cache, and compiling is off; run the "
            "prebuild command");
  EXPECT_EQ(Compiles, 1);
}

TEST_F(CacheTest, ReadOnlyAndOff) {
  fill("code");
  auto ReadOnly = openCache(CacheMode::ReadOnly);
  EXPECT_EQ(payload(*get(*ReadOnly, "a", "other")), "code");
  EXPECT_EQ(payload(*get(*ReadOnly, "b", "code of b")), "code of b");
  EXPECT_FALSE(open()->find(key("b").Id));
  auto Off = openCache(CacheMode::Off);
  EXPECT_EQ(payload(*get(*Off, "a", "fresh")), "fresh");
}

TEST_F(CacheTest, UnusableDirectoryDoesNotStopTheProgram) {
  write(Folder + "/cache", "a file where the directory should be");
  auto C = openCache();
  EXPECT_EQ(payload(*get(*C, "a", "code")), "code");
  EXPECT_TRUE(hasEvent(CacheEvent::Kind::NotKept));
}

TEST_F(CacheTest, DamagedEntryIsCompiledAgain) {
  fill("code");
  write(pathOf("a"), "damaged");
  auto C = openCache();
  EXPECT_EQ(payload(*get(*C, "a", "again")), "again");
  EXPECT_TRUE(hasEvent(CacheEvent::Kind::Quarantined));
  EXPECT_EQ(payload(*open()->find(key("a").Id)), "again");
}

TEST_F(CacheTest, EntryForAnotherTargetIsNotUsed) {
  fill("code");
  auto C = openCache();
  CacheRequest Other = request("a");
  Other.Target = "gfx942";
  EXPECT_EQ(payload(*C->get(Other, [&] { return compile("right"); })), "right");
}

TEST_F(CacheTest, SystemLayerIsAskedFirst) {
  fill("of the system");
  CacheOptions Options;
  Options.SystemDirectories = {Folder + "/missing", Folder + "/cache"};
  Options.Directory = Folder + "/user";
  Options.OnEvent = [](const CacheEvent &) {};
  auto C = Cache::open(Options);
  ASSERT_TRUE(C.ok());
  EXPECT_EQ(payload(*get(**C, "a", "never")), "of the system");
  EXPECT_EQ(payload(*get(**C, "b", "mine")), "mine");
  EXPECT_TRUE(std::filesystem::exists(Folder + "/user/objects/" +
                                      key("b").hex().substr(0, 2)));
}

} // namespace
