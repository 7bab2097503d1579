//===- CacheDisplay.cpp - cache events for callback or stderr -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles are numbered in the order of their starts. An event also holds how
// many the cache has been asked for so far. With WithTicks a separate thread
// reports every second that a compile still runs.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/CacheDisplay.h"

#include "Jit/Executor/Cache/Ticker.h"
#include "Jit/Executor/TraceEvents.h"

#include "Jit/Executor/Cache/Progress.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

CacheDisplay::CacheDisplay(const CacheOptions &Options)
    : OnEvent(Options.OnEvent), WithTicks(Options.WithTicks) {
  if (OnEvent)
    return;
  auto Lines = std::make_shared<Progress>(ProgressOptions());
  OnEvent = [Lines](const CacheEvent &E) { Lines->show(E); };
  WithTicks = true;
}

/// A missing or full directory affects every kernel, so report each reason
/// once. The text begins with a path, which may be that of the kernel's entry.
bool CacheDisplay::isFirst(const std::string &WhyNotKept) {
  size_t Reason = WhyNotKept.find(": ");
  std::lock_guard<std::mutex> Held(Lock);
  return Told.insert(WhyNotKept.substr(std::min(Reason, WhyNotKept.size())))
      .second;
}

void CacheDisplay::tell(CacheEvent::Kind Kind, const CacheRequest &Request,
                        double Seconds, std::string Detail, LockOwner Owner) {
  if (Request.Auxiliary && Kind != CacheEvent::Kind::Quarantined &&
      Kind != CacheEvent::Kind::Layer && Kind != CacheEvent::Kind::Waiting &&
      Kind != CacheEvent::Kind::WaitEnded)
    return;
  if (Kind == CacheEvent::Kind::NotKept && !isFirst(Detail))
    return;
  OnEvent(
      {Kind, Request.Name, Seconds, std::move(Owner), std::move(Detail), 0, 0});
}

Result<Product>
CacheDisplay::run(const CacheRequest &Request,
                  const std::function<Result<Product>()> &Compile,
                  double &Seconds) {
  CacheEvent Event{CacheEvent::Kind::Compiling, Request.Name, 0, {}, {}, 0, 0};
  auto Tell = [&] {
    Event.Known = Known;
    OnEvent(Event);
  };
  auto Start = std::chrono::steady_clock::now();
  auto SinceStart = [Start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         Start)
        .count();
  };
  std::optional<Ticker> Ticks;
  if (!Request.Auxiliary) {
    Event.Number = ++Begun;
    Tell();
    Event.What = CacheEvent::Kind::StillCompiling;
    if (WithTicks)
      Ticks.emplace([&] {
        Event.Seconds = SinceStart();
        Tell();
      });
  }
  TraceSlice Slice(Request.Auxiliary ? "recipe" : "compile", Request.Name);
  Slice.note("target", Request.Target);
  Result<Product> Compiled = Compile();
  Seconds = SinceStart();
  return Compiled;
}
