//===- PlanCheck.cpp - check for overwritten buffers ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the needed byte ranges by their beginnings. A new buffer must not meet
// any of them; a node's last reads end only after it has run. The one exception
// is a buffer that replaces another: it must be allowed to, have exactly its
// bytes, and begin at the node where that one ends.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Graph/PlanCheck.h"

#include <map>

using namespace kpack;
using namespace kpack::jit;

namespace {

class Simulation {
public:
  Simulation(std::span<const PlanBuffer> Buffers, const MemoryPlan &Plan)
      : Buffers(Buffers), Plan(Plan) {}
  std::optional<PlanFault> run();

private:
  std::optional<PlanFault> place(uint32_t I) const;
  std::optional<PlanFault> write(uint32_t I);
  bool replaces(uint32_t New, uint32_t Old) const;
  uint64_t begin(uint32_t I) const { return Plan.Places[I].Offset; }
  uint64_t end(uint32_t I) const { return begin(I) + Buffers[I].Size; }

  std::span<const PlanBuffer> Buffers;
  const MemoryPlan &Plan;
  std::multimap<uint64_t, uint32_t> Needed; // buffers by their first byte
};

} // namespace

bool Simulation::replaces(uint32_t New, uint32_t Old) const {
  if (Plan.Places[New].Replaces != Old ||
      Buffers[Old].Last != Buffers[New].First ||
      Buffers[Old].First >= Buffers[New].First || begin(New) != begin(Old) ||
      Buffers[New].Size != Buffers[Old].Size)
    return false;
  for (uint32_t Allowed : Buffers[New].MayReplace)
    if (Allowed == Old)
      return true;
  return false;
}

/// Checks the place without regard to other buffers.
std::optional<PlanFault> Simulation::place(uint32_t I) const {
  uint32_t Node = Buffers[I].First;
  if (begin(I) % 256 != 0)
    return PlanFault{PlanFault::Kind::Misaligned, I, I, Node};
  if (begin(I) > Plan.Peak || Buffers[I].Size > Plan.Peak - begin(I))
    return PlanFault{PlanFault::Kind::OutsidePool, I, I, Node};
  return std::nullopt;
}

std::optional<PlanFault> Simulation::write(uint32_t I) {
  if (std::optional<PlanFault> Fault = place(I))
    return Fault;
  if (Buffers[I].Size == 0)
    return std::nullopt;
  // Ranges after its end cannot meet it; any one before it may be long enough.
  for (const auto &[First, Other] : Needed) {
    if (First >= end(I))
      break;
    if (end(Other) > begin(I) && !replaces(I, Other))
      return PlanFault{PlanFault::Kind::Overlap, Other, I, Buffers[I].First};
  }
  Needed.emplace(begin(I), I);
  return std::nullopt;
}

std::optional<PlanFault> Simulation::run() {
  std::map<uint32_t, std::vector<uint32_t>> Writes; // by node
  std::map<uint32_t, std::vector<uint32_t>> Ends;   // by last reader
  for (uint32_t I = 0; I < Buffers.size(); ++I) {
    Writes[Buffers[I].First].push_back(I);
    Ends[Buffers[I].Last].push_back(I);
  }

  std::map<uint32_t, std::vector<uint32_t>>::iterator End = Ends.begin();
  for (const auto &[Node, Written] : Writes) {
    for (; End != Ends.end() && End->first < Node; ++End)
      for (uint32_t Gone : End->second)
        std::erase_if(Needed,
                      [&](const auto &Range) { return Range.second == Gone; });
    for (uint32_t I : Written)
      if (std::optional<PlanFault> Fault = write(I))
        return Fault;
  }
  return std::nullopt;
}

std::optional<PlanFault>
kpack::jit::checkPlan(std::span<const PlanBuffer> Buffers,
                      const MemoryPlan &Plan) {
  return Simulation(Buffers, Plan).run();
}

std::string PlanFault::message(std::span<const PlanBuffer> Buffers) const {
  std::string Text = Buffers[First].Name + ": ";
  if (What == Kind::Misaligned)
    return Text + "does not begin at a multiple of 256; plan again";
  if (What == Kind::OutsidePool)
    return Text + "does not end within the pool; plan again";
  return Text + "node " + std::to_string(Node) + " writes " +
         Buffers[Second].Name +
         " into its bytes while it is still needed; "
         "plan again";
}
