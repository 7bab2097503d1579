//===- BackgroundTest.cpp - tests of jobs in background threads -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Background.h"

#include "gtest/gtest.h"
#include <atomic>
#include <condition_variable>
#include <sys/wait.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Something that work waits for.
class Gate {
public:
  void open() {
    std::lock_guard<std::mutex> Held(Lock);
    IsOpen = true;
    Changed.notify_all();
  }
  void pass() {
    std::unique_lock<std::mutex> Held(Lock);
    Changed.wait(Held, [this] { return IsOpen; });
  }

private:
  std::mutex Lock;
  std::condition_variable Changed;
  bool IsOpen = false;
};

template <typename T>
Result<std::optional<T>> pollToEnd(Async<T> &A, const std::string &Name,
                                   const std::function<Result<T>()> &Make) {
  while (true) {
    Result<std::optional<T>> Found = A.poll(Name, Make);
    if (!Found || *Found)
      return Found;
    std::this_thread::yield();
  }
}

TEST(BackgroundTest, ResultComesLater) {
  Gate Go;
  std::atomic<int> Calls{0};
  Async<int> A;
  auto Make = [&]() -> Result<int> {
    Go.pass();
    return ++Calls;
  };
  for (int I = 0; I != 3; ++I) {
    auto Found = A.poll("a", Make);
    ASSERT_TRUE(Found.ok());
    EXPECT_FALSE(Found->has_value());
  }
  Go.open();
  EXPECT_EQ(**pollToEnd<int>(A, "a", Make), 1);
  // It was given away: the next to ask begins anew.
  EXPECT_EQ(**pollToEnd<int>(A, "a", Make), 2);
}

TEST(BackgroundTest, FailuresAreResults) {
  Async<int> A;
  auto Found = pollToEnd<int>(A, "a", []() -> Result<int> {
    return Status(StatusCode::InvalidArgument, "no");
  });
  ASSERT_FALSE(Found.ok());
  EXPECT_EQ(Found.status().message(), "no");
}

TEST(BackgroundTest, ExceptionsAreFailures) {
  Async<int> A;
  auto Make = []() -> Result<int> { throw std::bad_alloc(); };
  EXPECT_EQ(pollToEnd<int>(A, "a", Make).status().code(),
            StatusCode::OutOfMemory);
}

TEST(BackgroundTest, ManyNamesOnFewThreads) {
  Async<int> A;
  std::vector<int> Seen;
  for (int I = 0; I != 100; ++I)
    EXPECT_FALSE(A.poll(std::to_string(I), [I]() -> Result<int> {
                    return I;
                  })->has_value());
  for (int I = 0; I != 100; ++I)
    EXPECT_EQ(**pollToEnd<int>(A, std::to_string(I),
                               []() -> Result<int> { return -1; }),
              I);
}

TEST(BackgroundTest, DestructorWaitsForRunningTasks) {
  Gate Go, Begun;
  std::atomic<bool> Ended{false};
  auto B = std::make_unique<Background>();
  B->start("a", [&] {
    Begun.open();
    Go.pass();
    Ended = true;
  });
  EXPECT_EQ(B->start("a", [] {}), Background::Outcome::Busy);
  Begun.pass();
  std::thread Opener([&] { Go.open(); });
  B.reset();
  EXPECT_TRUE(Ended);
  Opener.join();
}

// The child does not have the thread that works, and begins anew.
TEST(BackgroundTest, ForkWhileSomethingRuns) {
  Gate Go, Begun;
  auto A = std::make_unique<Async<int>>();
  ASSERT_TRUE(A->poll("a", [&]() -> Result<int> {
                 Begun.open();
                 Go.pass();
                 return 1;
               }).ok());
  Begun.pass();
  const pid_t Child = ::fork();
  if (Child == 0) {
    auto Found = pollToEnd<int>(*A, "a", []() -> Result<int> { return 2; });
    const bool Good = Found.ok() && **Found == 2;
    A.reset();
    ::_exit(Good ? 0 : 1);
  }
  int Status = -1;
  EXPECT_EQ(::waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
  Go.open();
  EXPECT_EQ(**pollToEnd<int>(*A, "a", []() -> Result<int> { return 3; }), 1);
}

} // namespace
