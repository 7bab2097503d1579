//===- ForkGuard.cpp - locks and threads across fork() --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ForkGuard.h. The list's mutex is taken last, so that a thread that holds
// guarded locks can create a guard. If the list has changed by then, all locks
// are released and taken again.
//
//===----------------------------------------------------------------------===//
#include "Support/ForkGuard.h"

#include <algorithm>
#include <pthread.h>
#include <vector>

using namespace kpack;

class ForkGuard::Entry {
public:
  std::mutex Busy; ///< held around a fork, and while the guard is destroyed
  std::function<void(ForkMoment)> Hook; ///< null after that
};

namespace {

using Entries = std::vector<std::shared_ptr<ForkGuard::Entry>>;

void take(const Entries &All) {
  for (const auto &E : All) {
    E->Busy.lock();
    if (E->Hook)
      E->Hook(ForkMoment::Before);
  }
}

void giveBack(const Entries &All, ForkMoment Moment) {
  std::for_each(All.rbegin(), All.rend(), [&](const auto &E) {
    if (E->Hook)
      E->Hook(Moment);
    E->Busy.unlock();
  });
}

/// All guards of this process, or of this library if several have guards.
class Registry {
public:
  /// Never destroyed, because programs also fork while they exit.
  static Registry &get() {
    static Registry *const R = new Registry;
    return *R;
  }

  void add(std::shared_ptr<ForkGuard::Entry> E) {
    std::lock_guard<std::mutex> Guard(Lock);
    All.push_back(std::move(E));
  }
  void remove(const std::shared_ptr<ForkGuard::Entry> &E) {
    std::lock_guard<std::mutex> Guard(Lock);
    All.erase(std::find(All.begin(), All.end(), E));
  }

private:
  Registry() {
    ::pthread_atfork([] { get().before(); },
                     [] { get().after(ForkMoment::Parent); },
                     [] { get().after(ForkMoment::Child); });
  }

  void before() {
    while (true) {
      Lock.lock();
      Entries Now = All;
      Lock.unlock();
      take(Now);
      Lock.lock(); // kept until after()
      if (Now == All) {
        Held = std::move(Now);
        return;
      }
      Lock.unlock();
      giveBack(Now, ForkMoment::Parent);
    }
  }
  void after(ForkMoment Moment) {
    Entries Now = std::move(Held);
    Lock.unlock();
    giveBack(Now, Moment);
  }

  std::mutex Lock;
  Entries All;
  Entries Held; ///< between before() and after()
};

} // namespace

ForkGuard::ForkGuard(std::function<void(ForkMoment)> Hook)
    : E(std::make_shared<Entry>()) {
  E->Hook = std::move(Hook);
  Registry::get().add(E);
}

ForkGuard::ForkGuard(std::mutex &Lock, std::function<void()> InChild)
    : ForkGuard([&Lock, InChild = std::move(InChild)](ForkMoment When) {
        if (When == ForkMoment::Before)
          return Lock.lock();
        if (When == ForkMoment::Child && InChild)
          InChild();
        Lock.unlock();
      }) {}

ForkGuard::~ForkGuard() {
  {
    std::lock_guard<std::mutex> Guard(E->Busy);
    E->Hook = nullptr;
  }
  Registry::get().remove(E);
}
