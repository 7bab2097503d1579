//===- Executor/Background.h - named jobs in background threads -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs named jobs in threads that exist only while there is work and that block
// the program's signals. A caller with a fallback uses that until the result is
// there, and polls: Async keeps the results.
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

/// Thread-safe. A forked child starts without work.
class Background {
public:
  /// Uses at most as many threads as there are processors.
  Background();
  /// Waits for running jobs; drops jobs that have not begun.
  ~Background();
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;

  enum class Outcome {
    Begun,
    Busy,     ///< a job of that name is queued or running
    NoThread, ///< no thread could be started
  };
  /// \p Work must not throw.
  Outcome start(const std::string &Name, std::function<void()> Work);

private:
  void run();
  void joinFinished(std::unique_lock<std::mutex> &Held);
  void forgetThreads();

  const unsigned MaxThreads;
  std::mutex Lock; ///< guards all below; not held while a job runs
  std::deque<std::pair<std::string, std::function<void()>>> Queue;
  std::set<std::string> Names; ///< queued and running
  std::list<std::thread> Threads, Finished;
  ForkGuard Guard;
};

/// Keeps results of background jobs; the first caller that polls after a job's
/// end takes its result. Objects that jobs refer to must outlive this object.
template <typename T> class Async {
public:
  /// Returns the result of \p Make if an earlier call started it and it has
  /// ended. Otherwise returns nullopt and starts it unless it is running.
  /// Errors: those of \p Make; OutOfMemory if no thread can be started.
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
    // Keep the lock: otherwise the job could end in between and start again.
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

  /// Returns true if a result was requested and not yet taken.
  bool isUnderWay(const std::string &Name) {
    std::lock_guard<std::mutex> Held(Lock);
    return UnderWay.count(Name) != 0;
  }

private:
  /// Catches exceptions: in a thread they would end the program.
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
