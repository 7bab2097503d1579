//===- Background.cpp - named jobs in background threads ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread ends when the queue is empty, and records that under the queue's
// lock, so that no job is queued for a thread that has decided to end. A thread
// cannot join itself, so it moves itself to the list of finished threads, which
// the next start() or the destructor joins. If no thread can be started,
// running threads take the job; if there are none, start() returns NoThread.
//
// A forked child does not have these threads. Their std::thread objects can
// neither be joined nor destroyed (that would end the program), so they are
// leaked.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Background.h"

#include "Support/QuietThread.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

Background::Background()
    : MaxThreads(std::max(1u, std::thread::hardware_concurrency())),
      Guard(Lock, [this] { forgetThreads(); }) {}

Background::~Background() {
  std::unique_lock<std::mutex> Held(Lock);
  Queue.clear();
  while (!Threads.empty()) {
    std::list<std::thread> One;
    One.splice(One.end(), Threads, Threads.begin());
    Held.unlock();
    One.front().join();
    Held.lock();
  }
  joinFinished(Held);
}

void Background::joinFinished(std::unique_lock<std::mutex> &Held) {
  std::list<std::thread> Ended;
  Ended.swap(Finished);
  Held.unlock();
  for (std::thread &T : Ended)
    T.join(); // returns soon: the thread is about to end
  Held.lock();
}

Background::Outcome Background::start(const std::string &Name,
                                      std::function<void()> Work) {
  std::unique_lock<std::mutex> Held(Lock);
  joinFinished(Held);
  if (!Names.insert(Name).second)
    return Outcome::Busy;
  Queue.emplace_back(Name, std::move(Work));
  if (Threads.size() >= MaxThreads)
    return Outcome::Begun;
  std::thread Thread = startQuietThread([this] { run(); });
  if (Thread.joinable())
    Threads.push_back(std::move(Thread));
  if (!Threads.empty())
    return Outcome::Begun;
  Queue.clear();
  Names.erase(Name);
  return Outcome::NoThread;
}

void Background::run() {
  std::unique_lock<std::mutex> Held(Lock);
  while (!Queue.empty()) {
    auto [Name, Work] = std::move(Queue.front());
    Queue.pop_front();
    Held.unlock();
    Work();
    Work = nullptr;
    Held.lock();
    Names.erase(Name);
  }
  // The destructor may have taken this thread from the list to wait for it.
  auto Mine =
      std::find_if(Threads.begin(), Threads.end(), [](const std::thread &T) {
        return T.get_id() == std::this_thread::get_id();
      });
  if (Mine != Threads.end())
    Finished.splice(Finished.end(), Threads, Mine);
}

/// Runs in a forked child.
void Background::forgetThreads() {
  Queue.clear();
  Names.clear();
  // This process lacks these threads: leak them, neither joined nor destroyed.
  for (std::list<std::thread> *Gone : {&Threads, &Finished})
    (void)new std::list<std::thread>(std::move(*Gone));
  Threads.clear();
  Finished.clear();
}
