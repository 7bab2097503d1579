//===- Attempts.cpp - one compile of a key among threads ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lock guards only the table and is never held during a compile: fork()
// waits for it. A successful attempt leaves the table; threads that wait for it
// hold it. A failed one stays until a caller asks after its lifetime.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/Attempts.h"

using namespace kpack;
using namespace kpack::jit;

/// A key that a thread is compiling, or that failed recently.
struct Attempts::Attempt {
  RetryPause Pause;
  bool Running = true;
  Status Failure;
};

static RetryPause makePause(double Seconds) {
  auto Same = std::chrono::duration_cast<RetryPause::Clock::duration>(
      std::chrono::duration<double>(Seconds));
  return RetryPause(Same, Same);
}

Attempts::Attempts(double FailureLifetime)
    : Pause(makePause(FailureLifetime)),
      AnyEnded(std::make_unique<std::condition_variable>()),
      Guard(Lock, [this] { forgetThreads(); }) {}

/// Waits until \p Other has ended. Returns false if \p Stop cancels.
bool Attempts::waitFor(std::unique_lock<std::mutex> &Held, const Attempt &Other,
                       const StopCallback &Stop) {
  auto HasEnded = [&] { return !Other.Running; };
  if (!Stop) {
    AnyEnded->wait(Held, HasEnded);
    return true;
  }
  while (!AnyEnded->wait_for(Held, StopInterval, HasEnded)) {
    Held.unlock();
    bool WantsEnd = Stop();
    Held.lock();
    if (WantsEnd)
      return false;
  }
  return true;
}

Attempts::Turn Attempts::take(const Digest &Id, const StopCallback &Stop) {
  std::unique_lock<std::mutex> Held(Lock);
  while (true) {
    std::shared_ptr<Attempt> &Place = Known[Id];
    if (!Place) {
      Place = std::make_shared<Attempt>(Attempt{Pause, true, {}});
      return {Place, {}};
    }
    std::shared_ptr<Attempt> Other = Place;
    bool Waited = Other->Running;
    if (!waitFor(Held, *Other, Stop))
      return {nullptr, Status(StatusCode::IoError, "", Errc::Cancelled)};
    bool IsFailure =
        !Other->Failure.ok() && Other->Failure.detail() != Errc::Cancelled;
    if (IsFailure && (Waited || !Other->Pause.isOver()))
      return {nullptr, Other->Failure};
    if (Known[Id] == Other)
      Known.erase(Id);
    if (Waited && Other->Failure.ok())
      return {};
  }
}

static bool isFinal(const Status &Failure) {
  return Failure.code() == StatusCode::InvalidArgument ||
         Failure.code() == StatusCode::KernelNotFound;
}

void Attempts::end(const Digest &Id, const Turn &Ended, const Status &Outcome,
                   bool Remember) {
  std::lock_guard<std::mutex> Held(Lock);
  Ended.Mine->Running = false;
  Ended.Mine->Failure = Outcome;
  if (isFinal(Outcome))
    Ended.Mine->Pause.failedForGood();
  else
    Ended.Mine->Pause.failed();
  if (Outcome.ok() || !Remember || Outcome.detail() == Errc::Cancelled)
    Known.erase(Id);
  AnyEnded->notify_all();
}

/// Runs in a forked child.
void Attempts::forgetThreads() {
  for (auto It = Known.begin(); It != Known.end();)
    It = It->second->Running ? Known.erase(It) : std::next(It);
  (void)AnyEnded.release(); // leaked: its waiters still use it
  AnyEnded = std::make_unique<std::condition_variable>();
}
