//===- CacheTest.cpp - tests of look-ups and compiles in a cache ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Executor/Cache/Cache.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
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
  bool hasEvent(CacheEvent::Kind Kind) {
    std::lock_guard<std::mutex> Guard(Lock);
    for (const CacheEvent &Event : Events)
      if (Event.What == Kind)
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

TEST_F(CacheTest, FailuresAreRememberedAndReported) {
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

TEST_F(CacheTest, UnusableDirectoryIsReportedOnce) {
  write(Folder + "/cache", "a file where the directory should be");
  auto C = openCache();
  for (const char *Source : {"a", "b", "c"})
    EXPECT_EQ(payload(*get(*C, Source, Source)), Source);
  EXPECT_EQ(std::count_if(Events.begin(), Events.end(),
                          [](const CacheEvent &Event) {
                            return Event.What == CacheEvent::Kind::NotKept;
                          }),
            1);
}

TEST_F(CacheTest, EntryAboveTheLimitIsReported) {
  CacheOptions Options;
  Options.Directory = Folder + "/cache";
  Options.Limits.Bytes = 1;
  std::string Said;
  Options.OnEvent = [&](const CacheEvent &Event) {
    if (Event.What == CacheEvent::Kind::NotKept)
      Said = Event.Detail;
  };
  auto C = Cache::open(std::move(Options));
  ASSERT_TRUE(C.ok());
  EXPECT_EQ(payload(*get(**C, "a", "code")), "code");
  EXPECT_NE(Said.find("raise the cache's limit"), std::string::npos) << Said;
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

// The compile ends when the first sign of life was seen.
TEST_F(CacheTest, CompilesAreTickedOffAndCounted) {
  std::condition_variable Changed;
  unsigned Ticks = 0;
  CacheOptions Options;
  Options.Directory = Folder + "/cache";
  Options.WithTicks = true;
  Options.OnEvent = [&](const CacheEvent &Event) {
    std::lock_guard<std::mutex> Guard(Lock);
    Events.push_back(Event);
    Ticks += Event.What == CacheEvent::Kind::StillCompiling;
    Changed.notify_all();
  };
  auto C = std::move(*Cache::open(std::move(Options)));
  EXPECT_TRUE(get(*C, "a", "code").ok());
  auto Slow = [&]() -> Result<Product> {
    std::unique_lock<std::mutex> Guard(Lock);
    Changed.wait(Guard, [&] { return Ticks != 0; });
    return Product{"code", ""};
  };
  EXPECT_TRUE(C->get(request("b"), Slow).ok());
  std::lock_guard<std::mutex> Guard(Lock);
  for (const CacheEvent &Event : Events)
    if (Event.What == CacheEvent::Kind::StillCompiling) {
      EXPECT_EQ(Event.Name, "kernel of b");
      EXPECT_EQ(Event.Number, 2u);
      EXPECT_EQ(Event.Known, 2u);
    }
}

// A child that is forked while another thread compiles: it neither waits for
// that thread, which it does not have, nor for a lock, nor for the parent's
// compile when that is killed.
TEST_F(CacheTest, ForkWhileAnotherThreadCompiles) {
  CacheOptions Options; // its display has no lock of the test
  Options.Directory = Folder + "/cache";
  Options.OnEvent = [](const CacheEvent &) {};
  auto C = std::move(*Cache::open(std::move(Options)));
  std::condition_variable Changed;
  bool Compiling = false, Forked = false;
  std::thread Other([&] {
    auto Found = C->get(request("a"), [&]() -> Result<Product> {
      std::unique_lock<std::mutex> Guard(Lock);
      Compiling = true;
      Changed.notify_all();
      Changed.wait(Guard, [&] { return Forked; });
      return Product{"of the parent", ""};
    });
    EXPECT_EQ(payload(*Found), "of the parent");
  });
  // One that waits for it is gone in the child, too.
  std::thread Waiting([&] {
    {
      std::unique_lock<std::mutex> Guard(Lock);
      Changed.wait(Guard, [&] { return Compiling; });
    }
    EXPECT_TRUE(C->get(request("a"), []() -> Result<Product> {
                   return Product{"never", ""};
                 }).ok());
  });
  {
    std::unique_lock<std::mutex> Guard(Lock);
    Changed.wait(Guard, [&] { return Compiling; });
  }
  const pid_t Child = ::fork();
  if (Child == 0) {
    // As the parent would be killed: its lock has no owner then.
    std::error_code Ignored;
    std::filesystem::remove_all(Folder + "/cache/locks", Ignored);
    std::filesystem::create_directory(Folder + "/cache/locks", Ignored);
    auto Found = C->get(request("a"), [&]() -> Result<Product> {
      return Product{"of the child", ""};
    });
    if (!Found.ok() || payload(*Found) != "of the child")
      ::_exit(1);
    C.reset(); // waits for nobody
    ::_exit(0);
  }
  int Status = -1;
  EXPECT_EQ(::waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Forked = true;
  }
  Changed.notify_all();
  Other.join();
  Waiting.join();
}

// The lock of a process that is killed is free, also when it has a child.
TEST_F(CacheTest, ForkedChildHoldsNoLock) {
  int Ready[2], Done[2];
  ASSERT_EQ(::pipe(Ready), 0);
  ASSERT_EQ(::pipe(Done), 0);
  const pid_t Parent = ::fork();
  if (Parent == 0) {
    ::close(Done[1]);
    auto C = openCache();
    (void)C->get(request("a"), [&]() -> Result<Product> {
      if (::fork() == 0) {
        char Byte;
        (void)!::write(Ready[1], "r", 1);
        ::_exit(::read(Done[0], &Byte, 1) == 0 ? 0 : 1);
      }
      ::pause();
      return Product{"never", ""};
    });
    ::_exit(1);
  }
  char Byte;
  ASSERT_EQ(::read(Ready[0], &Byte, 1), 1);
  ASSERT_EQ(::kill(Parent, SIGKILL), 0);
  ASSERT_EQ(::waitpid(Parent, nullptr, 0), Parent);
  auto C = openCache();
  auto Found = get(*C, "a", "code"); // while the child lives
  EXPECT_EQ(payload(*Found), "code");
  EXPECT_FALSE(hasEvent(CacheEvent::Kind::Waiting));
  for (int End : {Ready[0], Ready[1], Done[0], Done[1]})
    ::close(End);
}

} // namespace
