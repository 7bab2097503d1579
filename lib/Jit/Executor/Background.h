//===- Jit/Executor/Background.h - work that nobody waits for ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs named pieces of work in threads that are there only while there is work,
// and take none of the program's signals. A caller that has a fallback takes
// that until the result is there, and asks again: Async keeps results for it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_BACKGROUND_H
#define KPACK_JIT_EXECUTOR_BACKGROUND_H

#include "Support/ForkGuard.h"
#include "kpack/Support/Status.h"

#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace kpack::jit {

/// Thread-safe. In a forked child there is no work.
class Background {
public:
  /// As many threads as there are processors at most.
  Background();
  /// Waits for what is running; what has not begun is dropped.
  ~Background();
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;

  enum class Outcome {
    Begun,
    Busy,     ///< there is work of that name
    NoThread, ///< none is to be had
  };
  /// \p Work throws nothing.
  Outcome start(const std::string &Name, std::function<void()> Work);

private:
  void run();
  void joinFinished(std::unique_lock<std::mutex> &Held);
  void forgetThreads();

  const unsigned MaxThreads;
  std::mutex Lock; ///< of all below; not held while work runs
  std::deque<std::pair<std::string, std::function<void()>>> Queue;
  std::set<std::string> Names; ///< queued and running
  std::list<std::thread> Threads, Finished;
  ForkGuard Guard;
};

/// Results of work in the background, each given to the first who asks for it
/// after it is there. What works refer to lives longer than this object.
template <typename T> class Async {
public:
  /// The result of \p Make, if an earlier call has begun it and it is there;
  /// else nothing, and it is begun unless it is under way. Errors: of \p Make;
  /// OutOfMemory, no thread.
  Result<std::optional<T>> poll(const std::string &Name,
                                std::function<Result<T>()> Make) {
    std::unique_lock<std::mutex> Held(Lock);
    if (auto Found = There.find(Name); Found != There.end()) {
      Result<T> Outcome = std::move(Found->second);
      There.erase(Found);
      UnderWay.erase(Name);
      if (!Outcome)
        return Outcome.status();
      return std::optional<T>(std::move(*Outcome));
    }
    UnderWay.insert(Name);
    // Still locked: else it might end in between, and begin again.
    auto Begun = Work.start(Name, [this, Name, Make = std::move(Make)] {
      Result<T> Outcome = made(Name, Make);
      std::lock_guard<std::mutex> Held(Lock);
      There.insert_or_assign(Name, std::move(Outcome));
    });
    if (Begun != Background::Outcome::NoThread)
      return std::optional<T>();
    UnderWay.erase(Name);
    return Status(StatusCode::OutOfMemory,
                  Name + ": no thread can be started; try again later");
  }

  /// Whether a result was asked for and not given yet.
  bool isUnderWay(const std::string &Name) {
    std::lock_guard<std::mutex> Held(Lock);
    return UnderWay.count(Name) != 0;
  }

private:
  /// An exception would end the program, for a thread has no caller.
  static Result<T> made(const std::string &Name,
                        const std::function<Result<T>()> &Make) {
    try {
      return Make();
    } catch (const std::exception &Thrown) {
      return Status(StatusCode::OutOfMemory, Name + ": " + Thrown.what());
    }
  }

  std::mutex Lock;
  std::map<std::string, Result<T>> There;
  std::set<std::string> UnderWay;
  ForkGuard Guard{Lock, [this] { UnderWay.clear(); }};
  Background Work; ///< last: its threads use all of the above
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_BACKGROUND_H
