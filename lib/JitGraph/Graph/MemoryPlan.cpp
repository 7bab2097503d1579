//===- MemoryPlan.cpp - offsets of buffers in one pool --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assigns offsets in one pool to buffers, so that buffers that are needed at
// the same node do not overlap, and the pool is small. This problem, dynamic
// storage allocation, is NP-hard; the planner places greedily in several
// orders.
//
//   1. Buffers that take each other's bytes become one block. If y = relu(x) is
//      the last reader of x, and both have the same size, the block of x also
//      holds y, and is needed from the writer of x to the last reader of y.
//   2. The lower bound is the largest sum of blocks that one node needs.
//   3. Blocks are placed one after another. A block goes into the smallest gap
//      below or between the placed blocks that are needed at the same time
//      (best fit), or after the last of them. Other placed blocks are ignored.
//   4. Blocks that end beyond the lower bound go first in the next round.
//
// An example with sizes in units of PlanAlignment; w is the writer, r the last
// reader:
//
//   node        0  1  2  3  4   round 1: a b c d   round 2: d a b c
//   a  size 1   w-----r                0                  0
//   b  size 1      w-----r             1                  2
//   c  size 1         w-----r          2                  3
//   d  size 2            w--r          3 to 5             0 to 2
//   needed      1  2  3  4  3   pool   5                  4
//
// In round 1, d is needed together with b and c. The gap before b has one unit,
// which is too small, so d goes after c and ends at 5; the lower bound is 4, at
// node 3. In round 2, d goes first, and a may have the same bytes, because a
// ends before d begins. b finds [0, 2) taken and goes to 2, c goes to 3. The
// pool has the size of the lower bound, so the planner stops.
//
// The first order is that of launches, which is right for chains; the second is
// by size, the largest first, which is good for most graphs. By size alone, a
// chain of changing sizes takes up to 1.4 times its need.
//
// Invariant: after each placement, placed blocks that are needed at the same
// node are disjoint, so every round is a valid plan; the smallest one is kept.
// A round compares each block with all placed ones and sorts the neighbours:
// about n^2 log n steps. Each order has at most MostRounds rounds, fewer with
// many blocks, but at least two.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/MemoryPlan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Buffers with the same bytes, one after another.
struct Block {
  uint64_t Size = 0; ///< a multiple of PlanAlignment
  uint32_t First = 0;
  uint32_t Last = 0;
  uint64_t Offset = 0;

  bool meets(const Block &Other) const {
    return First <= Other.Last && Other.First <= Last;
  }
  uint64_t end() const { return Offset + Size; }
};

class Planner {
public:
  explicit Planner(std::span<const PlanBuffer> Buffers) : Buffers(Buffers) {}
  Result<MemoryPlan> plan();

private:
  Status check() const;
  void replace(MemoryPlan &Plan);
  uint64_t lowerBound() const;
  using Order = std::vector<uint32_t>; // of blocks
  uint64_t bestOffset(const Block &B, std::span<const uint32_t> Placed) const;
  void place(const Order &Next);
  void improve(Order Next);

  std::span<const PlanBuffer> Buffers;
  std::vector<Block> Blocks;
  std::vector<uint32_t> BlockOf; // of each buffer
  uint64_t LowerBound = 0;
  /// Of the best placement so far.
  uint64_t Peak = std::numeric_limits<uint64_t>::max();
  std::vector<uint64_t> Offsets;
};

} // namespace

/// Limit of rounds of placement.
static constexpr size_t MostRounds = 32;

static uint64_t rounded(uint64_t Size) {
  return (Size + PlanAlignment - 1) / PlanAlignment * PlanAlignment;
}

Status Planner::check() const {
  uint64_t Left = std::numeric_limits<uint64_t>::max() - PlanAlignment;
  for (const PlanBuffer &B : Buffers) {
    if (B.Last < B.First)
      return Status(StatusCode::InvalidArgument,
                    B.Name + ": last read by node " + std::to_string(B.Last) +
                        ", before node " + std::to_string(B.First) +
                        " writes it; order the nodes");
    for (uint32_t Other : B.MayReplace)
      if (Other >= Buffers.size())
        return Status(StatusCode::InvalidArgument,
                      B.Name + ": may replace buffer " + std::to_string(Other) +
                          " of " + std::to_string(Buffers.size()) +
                          "; name one that there is");
    if (B.Size > Left || rounded(B.Size) > Left)
      return Status(StatusCode::OutOfMemory,
                    B.Name + ": the buffers up to this one are more than 64 "
                             "bits of bytes; narrow the bounds of the graph's "
                             "variables");
    Left -= rounded(B.Size);
  }
  return Status::success();
}

/// Makes the blocks. All buffers of one have the same size, so it is needed
/// whole all the time. Goes in the order of writing, so that chains grow at
/// their end.
void Planner::replace(MemoryPlan &Plan) {
  std::vector<uint32_t> Order(Buffers.size());
  std::iota(Order.begin(), Order.end(), 0);
  std::sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
    return std::pair(Buffers[A].First, A) < std::pair(Buffers[B].First, B);
  });
  std::vector<bool> IsReplaced(Buffers.size());
  BlockOf.resize(Buffers.size());
  for (uint32_t I : Order) {
    const PlanBuffer &B = Buffers[I];
    for (uint32_t Old : B.MayReplace) {
      const PlanBuffer &O = Buffers[Old];
      if (IsReplaced[Old] || O.Last != B.First || O.First >= B.First ||
          O.Size != B.Size)
        continue;
      IsReplaced[Old] = true;
      Plan.Places[I].Replaces = Old;
      BlockOf[I] = BlockOf[Old];
      Blocks[BlockOf[I]].Last = B.Last;
      break;
    }
    if (Plan.Places[I].Replaces != MemoryPlan::None)
      continue;
    BlockOf[I] = static_cast<uint32_t>(Blocks.size());
    Blocks.push_back({rounded(B.Size), B.First, B.Last});
  }
}

uint64_t Planner::lowerBound() const {
  // By node, in 64 bits: subtractions wrap around, and later sums wrap back.
  std::map<uint64_t, uint64_t> Changes;
  for (const Block &B : Blocks) {
    Changes[B.First] += B.Size;
    Changes[uint64_t(B.Last) + 1] -= B.Size;
  }
  uint64_t Needed = 0;
  uint64_t Most = 0;
  for (const auto &[Node, Change] : Changes) {
    Needed += Change;
    Most = std::max(Most, Needed);
  }
  return Most;
}

/// Returns the smallest gap among \p Placed that \p B fits into, or their end.
uint64_t Planner::bestOffset(const Block &B,
                             std::span<const uint32_t> Placed) const {
  std::vector<const Block *> InTheWay;
  for (uint32_t Other : Placed)
    if (Blocks[Other].Size && Blocks[Other].meets(B))
      InTheWay.push_back(&Blocks[Other]);
  std::sort(
      InTheWay.begin(), InTheWay.end(),
      [](const Block *X, const Block *Y) { return X->Offset < Y->Offset; });
  uint64_t Smallest = std::numeric_limits<uint64_t>::max();
  std::optional<uint64_t> Best;
  uint64_t End = 0;
  for (const Block *Other : InTheWay) {
    if (Other->Offset >= End + B.Size && Other->Offset - End < Smallest) {
      Smallest = Other->Offset - End;
      Best = End;
    }
    End = std::max(End, Other->end());
  }
  return Best.value_or(End);
}

/// Places the blocks in this order, and keeps the result if it is better.
void Planner::place(const Order &Next) {
  uint64_t End = 0;
  for (size_t I = 0; I < Next.size(); ++I) {
    Block &B = Blocks[Next[I]];
    B.Offset = bestOffset(B, std::span(Next).first(I));
    End = std::max(End, B.end());
  }
  if (End >= Peak)
    return;
  Peak = End;
  Offsets.clear();
  for (const Block &B : Blocks)
    Offsets.push_back(B.Offset);
}

/// Places blocks in this order, then again with those that were too high first.
void Planner::improve(Order Next) {
  // Placing a thousand blocks takes some milliseconds.
  size_t Rounds = std::clamp<size_t>(4000000 / (Next.size() * Next.size() + 1),
                                     2, MostRounds);
  for (; Rounds && Peak > LowerBound; --Rounds) {
    place(Next);
    Order High;
    Order Others;
    for (uint32_t I : Next)
      (Blocks[I].end() > LowerBound ? High : Others).push_back(I);
    Next = std::move(High);
    Next.insert(Next.end(), Others.begin(), Others.end());
  }
}

Result<MemoryPlan> Planner::plan() {
  if (Status S = check(); !S.ok())
    return S;
  MemoryPlan Plan;
  Plan.Places.resize(Buffers.size());
  for (const PlanBuffer &B : Buffers)
    Plan.NaiveSum += rounded(B.Size);
  replace(Plan);
  LowerBound = lowerBound();

  // The blocks are already in launch order.
  Order ByLaunch(Blocks.size());
  std::iota(ByLaunch.begin(), ByLaunch.end(), 0);
  Order BySize = ByLaunch;
  std::sort(BySize.begin(), BySize.end(), [&](uint32_t A, uint32_t B) {
    return std::pair(Blocks[B].Size, A) < std::pair(Blocks[A].Size, B);
  });
  improve(std::move(ByLaunch));
  improve(std::move(BySize));

  Plan.LowerBound = LowerBound;
  Plan.Peak = Peak;
  for (size_t I = 0; I < Buffers.size(); ++I)
    Plan.Places[I].Offset = Offsets[BlockOf[I]];
  return Plan;
}

Result<MemoryPlan> kpack::jit::planMemory(std::span<const PlanBuffer> Buffers) {
  return Planner(Buffers).plan();
}
