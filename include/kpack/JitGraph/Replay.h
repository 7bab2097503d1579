//===- kpack/JitGraph/Replay.h - repeated execution of a plan ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prepared graph without the types of its interface: buffers and variables
// are numbers. create() makes everything that a run needs: memory, which stays
// in place, addresses of kernels, and blocks of arguments. A run is a loop over
// them: no allocation, no lock, no system call. Sizes are computed again only
// after a variable has changed.
//
//   Replay::Turn Turn(*R);
//   if (!Turn)
//     return Replay::busy();
//   if (Status S = R->bind(Values, Inputs); !S.ok())
//     return S;
//   return R->run();
//
// One thread at a time has the turn. Graph.h has the types.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_REPLAY_H
#define KPACK_JITGRAPH_REPLAY_H

#include "kpack/JitGraph/Event.h"
#include "kpack/JitGraph/PrepareConfig.h"
#include "kpack/JitGraph/Profile.h"

#include <atomic>

namespace kpack::jit {

class CompiledPlan;
class ReplayMemory;
class ReplayQueue;

/// Compiles and loads the kernels of \p Plan, for any number of replays.
/// explain() prints \p Notes. Errors: of compiles; Device, OutOfMemory,
/// DuplicateInputBuffer, DtypeMismatch; InvalidFormat, the plan contradicts
/// itself.
Result<std::shared_ptr<const CompiledPlan>>
compilePlan(GraphPlan Plan, const PrepareConfig &Config,
            std::vector<std::string> Notes = {});

class Replay {
public:
  /// Elements of the caller for an input. Their size in bytes may not be known.
  struct BoundInput {
    uint32_t Input = 0;         ///< place among the plan's inputs
    const void *Data = nullptr; ///< null: the graph's own memory
    std::optional<uint64_t> Bytes = {};
    bool IsNeverNull = false; ///< a null pointer is a mistake of the caller
  };

  /// Makes a replay with separate memory, all of it 0; variables are at their
  /// upper bounds. Errors: OutOfMemory, with the size that the plan needs.
  static Result<std::unique_ptr<Replay>>
  create(std::shared_ptr<const CompiledPlan> Plan);
  /// Makes another replay of the plan, with the weights of this one. Do not
  /// call it while a weight is replaced. Errors: as create().
  Result<std::unique_ptr<Replay>> clone() const;
  ~Replay();
  Replay(const Replay &) = delete;
  Replay &operator=(const Replay &) = delete;

  /// The exclusive right to change and to run, if it is free; the destructor
  /// returns it.
  class Turn {
  public:
    explicit Turn(Replay &Owner)
        : Held(Owner.IsTaken.exchange(true, std::memory_order_acquire)
                   ? nullptr
                   : &Owner) {}
    ~Turn() {
      if (Held)
        Held->IsTaken.store(false, std::memory_order_release);
    }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;
    explicit operator bool() const { return Held; }

  private:
    Replay *Held;
  };
  static Status busy();

  // Within a turn.

  /// Sets one value for each of variables(); nullopt keeps it. Inputs that are
  /// not named stay; one that is bound to its graph memory (input()) is as
  /// before its first binding. Errors, which change nothing: VarOutOfRange,
  /// Misaligned, DuplicateInputBuffer, ShapeMismatch.
  Status bind(std::span<const std::optional<int64_t>> Values,
              std::span<const BoundInput> Inputs);
  /// Errors: Runtime.
  Status run();
  /// Checks that start() can begin another call. Call it before bind(), since a
  /// refused call changes nothing. Errors: Busy.
  Status checkRoom() const;
  /// Like run(), but returns when all work is on the stream, after earlier work
  /// on it and earlier calls. A CPU has run it then. Errors: Device.
  Result<Event> start(Stream Where);
  /// Waits for started calls. Errors: Device.
  Status settle();
  Status runProfiled(std::vector<KernelProfile> &Times);
  /// Calls run() on zeros at the lower bounds, unless guards do not hold there,
  /// and restores the state after create(). Errors: Runtime, also if a kernel
  /// has written outside of its buffers.
  Status warmUp();
  /// True if nodes one by one write the same bytes as run(), for inputs that
  /// are not all 0. Compares at the lower bounds, with each graph of the
  /// runtime. If guards do not hold there, compares at the upper bounds, with
  /// the graphs that are large enough for these; if they hold at neither,
  /// returns true without a comparison. Restores the state after create(), in
  /// particular the values of variables. Errors: as run().
  Result<bool> waysAgree();
  /// Exchanges the memory of an input and an output, of equal layout.
  void exchange(uint32_t Input, uint32_t Output);
  /// Replaces the elements of the weight of this name, for this object and its
  /// later clones. Errors: InputBufferNotFound, no weight or several have the
  /// name; DtypeMismatch, ShapeMismatch.
  Status replaceWeight(std::string_view Name, ElementType Type,
                       std::span<const std::byte> Bytes);

  // Between two changes. All are places among the plan's inputs, outputs and
  // variables.

  const std::shared_ptr<const CompiledPlan> &compiled() const { return Shared; }
  const GraphPlan &plan() const;
  std::span<const DimVariable> variables() const { return Variables; }
  std::span<const int64_t> values() const { return Values; }
  /// The graph's memory, also if another one is bound.
  void *input(uint32_t I) const;
  const void *output(uint32_t I) const;
  std::span<const int64_t> outputExtents(uint32_t I) const;
  /// Changes with values and addresses.
  uint64_t version() const { return Version; }

private:
  explicit Replay(std::shared_ptr<const CompiledPlan> Plan);
  Status allocate();
  void point(uint32_t Buffer, const void *Address);
  void setValues(int64_t DimRange::*Bound);
  bool setAllowedValues();
  Result<bool> compareWays();
  Status clear();
  Status fillInputs();
  Status fillGaps();
  Status checkGaps() const;
  Status checkValue(size_t I, int64_t Value) const;
  Status checkInput(const BoundInput &Bound) const;
  Status checkRanges() const;
  uint64_t bytesNeeded(uint32_t Input) const;
  void evaluate();
  Status checkGuards() const;
  Status bindInputs(std::span<const BoundInput> Inputs, bool HasNewValues);

  std::shared_ptr<const CompiledPlan> Shared;
  std::span<const DimVariable> Variables;
  std::vector<std::shared_ptr<ReplayMemory>> Weights;
  std::shared_ptr<ReplayMemory> Arena, Pool;
  std::vector<int64_t> Values, OldValues;
  std::vector<int64_t> Results; ///< of the plan's program
  std::vector<int64_t> Sizes;   ///< of all nodes, then of inputs and outputs
  std::vector<void *> Own;      ///< memory of each buffer
  std::vector<void *> Slots;    ///< arguments of all nodes
  std::vector<BoundInput> Bound, OldBound; ///< of each input; null: its own
  size_t BoundCount = 0;
  bool IsGuarded = false; ///< these values are not for this graph
  std::unique_ptr<ReplayQueue> Queue;
  uint64_t Version = 0;
  std::atomic<bool> IsTaken{false};
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_REPLAY_H
