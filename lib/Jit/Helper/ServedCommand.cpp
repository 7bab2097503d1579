//===- ServedCommand.cpp - command in a preloaded compiler ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All output precedes the reply; streams that another process holds open are
// not waited for.
//
//===----------------------------------------------------------------------===//
#include "ServedCommand.h"

#include "Support/Pipe.h"

#include <algorithm>
#include <cstring>

using namespace kpack;
using namespace kpack::jit;

/// Milliseconds in which a free warm compiler must begin. One that was killed
/// while it waited still counts as free, and never begins.
static constexpr int BeginPatience = 1000;

void ServedCommand::addTo(std::vector<pollfd> &Events) const {
  for (const UniqueFd *End : {&Ours.Output, &Ours.Error, &Ours.Reply})
    Events.push_back({End->get(), POLLIN, 0});
}

int ServedCommand::patience() const {
  if (!Replied.empty())
    return -1;
  auto Waited = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - Start);
  return std::max(0, BeginPatience - int(Waited.count()));
}

bool ServedCommand::goesOn() {
  if (IsOver)
    return false;
  drain(Ours.Reply, Replied);
  drain(Ours.Output, Output);
  drain(Ours.Error, Error);
  CommandOutcome Outcome;
  bool IsWhole = Replied.size() == 1 + sizeof(Outcome);
  if (!IsWhole && Ours.Reply && patience() != 0)
    return true;
  if (IsWhole) {
    std::memcpy(&Outcome, &Replied[1], sizeof(Outcome));
    if (Outcome.IsDone) {
      Done.emplace();
      Done->How = JobResult::State::Exited;
      Done->Code = Outcome.Code;
      Done->CpuSeconds = Outcome.CpuSeconds;
      Done->Out = std::move(Output);
      Done->Err = std::move(Error);
    }
  }
  IsOver = true;
  Ours = Ends();
  return false;
}
