//===- Dispatcher.cpp - execution of a kernel launch ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the workgroups of a dispatch on host threads. There may be millions of
// workgroups, they may wait for each other through memory, and a failing kernel
// should be reported in the same way in each run, whatever the threads do.
//
// Each thread has a Worker, which takes workgroups from a common counter in the
// order of the grid. A worker runs all waves of a workgroup in turn:
// WaveQuantum instructions of one wave, then of the next. After RoundsPerSlice
// such rounds, or as soon as all waves that ran are asleep, the workgroup is
// suspended. While there is room, a new workgroup comes before suspended ones,
// since these may be waiting for it.
//
// Example with one worker: workgroup 0 polls a flag that workgroup 1 sets.
//
//   worker runs        counter  suspended
//   0: polls, sleeps   1        0
//   1: sets, ends      2        0
//   0: sees it, ends   2
//
// The counter is exhausted after 1, so 0 runs again. If 0 polled without
// s_sleep, its slice would end after 8 rounds, with the same result. Resident
// workgroups need memory for registers and private variables, so Capacity
// limits them. As on a GPU, a kernel that needs more of them at once would not
// end; a cooperative launch gets more.
//
// Which failure is reported: the one of the first workgroup in the grid that
// fails, not the first one in time. Example with two workers and a grid of 5:
//
//   worker A            worker B            FailedGroup
//   0 suspended         1 suspended         none
//   2: fault            1: runs             2
//   0: runs             1: fault            1
//   0: ends             -                   1
//
// When 2 fails, no new workgroup starts, since all remaining ones have larger
// numbers, and running ones after 2 end. But 0 and 1 go on, because they may
// fail as well: 1 does, and is reported. They may also be waiting for workgroup
// 2, so each gets at most RoundsAfterFailure rounds more. A workgroup that
// needs more rounds to fail may be reported in one run and not in another. The
// limit of instructions and a lack of memory end the dispatch at once
// (giveUp()).
//
// Invariants: workgroups start in order, so every workgroup before a failed one
// has started. FailedGroup only decreases. A wave belongs to one worker at a
// time, and so do its registers; of the dispatch, workers share atomics and a
// lock for failures. If no wave of a workgroup can run, and some are at a
// barrier, it is a deadlock, which is a failure.
//
// Cost: execute() is the hot loop, which takes no lock and allocates nothing:
// one lookup in the code cache and one call for each instruction of a wave.
// Switching workgroups costs a pop and a push in a queue. Start reading at
// Worker::run().
//
//===----------------------------------------------------------------------===//
#include "Dispatcher.h"
#include "FaultSearch.h"
#include "ResidentGroup.h"
#include "Tracer.h"
#include <deque>
#include <utility>

using namespace kpack::softgpu;

/// Number of instructions in a turn of a wave.
static constexpr uint64_t WaveQuantum = 2048;
/// Turns of all its waves before a worker switches to another workgroup.
static constexpr unsigned RoundsPerSlice = 8;
/// Turns of all its waves that a workgroup gets after a later one has failed.
static constexpr unsigned RoundsAfterFailure = 32;
/// Most workgroups that a worker has started and not ended.
static constexpr size_t MaxResident = 64;
/// The same for a cooperative launch: more than a GPU reports to hold at once.
static constexpr uint64_t MaxCooperative = 1024;
/// The same in bytes of registers and private memory.
static constexpr uint64_t MaxResidentBytes = uint64_t(512) << 20;

//===----------------------------------------------------------------------===//
// Work of a thread
//===----------------------------------------------------------------------===//

class Dispatcher::Worker {
public:
  explicit Worker(Dispatcher &D);
  ~Worker() { tell(); }
  void run();

private:
  using Slot = std::unique_ptr<ResidentGroup>;
  /// Ended: no work is left, perhaps after a fault.
  enum class Outcome { Ended, Suspended };

  Slot nextGroup();
  Slot startGroup(uint64_t Index);
  Outcome runSlice(ResidentGroup &G);
  bool abandoned(ResidentGroup &G) const;
  bool runRound(ResidentGroup &G, bool &Yielded);
  void runWave(Wave &W);
  /// A separate function: the caller uses sigsetjmp(), which keeps variables of
  /// its function out of registers.
  LLVM_ATTRIBUTE_NOINLINE uint64_t execute(Wave &W, uint64_t Budget);
  uint64_t executeTraced(Wave &W, uint64_t Budget);
  void undecodable(Wave &W);
  void refused(Wave &W, const HostFault &Cause);
  uint64_t budget() const;
  void tell();
  void deadlock(ResidentGroup &G);

  Dispatcher &D;
  CodeCache &Code;
  CodeCache::Cursor At;
  std::optional<Tracer> Trace;
  size_t Capacity;
  /// Instructions not yet added to the dispatch's count. A turn that ends at a
  /// barrier is short, and an addition to shared memory would cost more than
  /// the turn itself.
  uint64_t Untold = 0;
  std::deque<Slot> Suspended;
  std::vector<Slot> Free;
};

Dispatcher::Worker::Worker(Dispatcher &D) : D(D), Code(D.Code) {
  uint64_t Bytes = ResidentGroup::bytes(*D.Launch.Request, D.Kernel);
  Capacity = std::clamp<uint64_t>(MaxResidentBytes / Bytes, 1, MaxResident);
  if (D.Launch.Request->Cooperative)
    Capacity = MaxCooperative;
  if (D.Launch.Options->Trace)
    Trace.emplace(D.Kernel);
}

void Dispatcher::Worker::run() {
  while (!D.stopped()) {
    Slot G = nextGroup();
    if (!G)
      return;
    switch (runSlice(*G)) {
    case Outcome::Ended:
      Free.push_back(std::move(G));
      break;
    case Outcome::Suspended:
      Suspended.push_back(std::move(G));
      break;
    }
  }
}

/// Starts a new workgroup while there is room, since all resident ones may be
/// waiting for it; else resumes the one that has not run for longest.
Dispatcher::Worker::Slot Dispatcher::Worker::nextGroup() {
  if (Suspended.size() < Capacity)
    if (std::optional<uint64_t> Index = D.takeGroup())
      return startGroup(*Index);
  if (Suspended.empty())
    return nullptr;
  Slot G = std::move(Suspended.front());
  Suspended.pop_front();
  return G;
}

Dispatcher::Worker::Slot Dispatcher::Worker::startGroup(uint64_t Index) {
  Slot G;
  if (Free.empty()) {
    G = ResidentGroup::create(D.Launch, D.Kernel);
  } else {
    G = std::move(Free.back());
    Free.pop_back();
  }
  if (!G) {
    Fault F;
    F.Kernel = D.Launch.KernelName;
    F.Detail = "out of memory for a workgroup's registers";
    D.giveUp(std::move(F));
    return nullptr;
  }
  G->start(Index, D.getId(Index), D.PacketAddress);
  D.Waves.fetch_add(G->Waves.size(), std::memory_order_relaxed);
  return G;
}

Dispatcher::Worker::Outcome Dispatcher::Worker::runSlice(ResidentGroup &G) {
  bool Yielded = false;
  for (unsigned Round = 0; Round < RoundsPerSlice && !Yielded; ++Round)
    if (D.stopped() || abandoned(G) || !runRound(G, Yielded) ||
        G.Group.LiveWaves == 0)
      return Outcome::Ended;
  return Outcome::Suspended;
}

/// True if the workgroup can no longer be the one to report.
bool Dispatcher::Worker::abandoned(ResidentGroup &G) const {
  uint64_t Failed = D.FailedGroup.load(std::memory_order_relaxed);
  if (LLVM_LIKELY(Failed == NoGroup))
    return false;
  return G.Index >= Failed || G.RoundsSinceFailure++ == RoundsAfterFailure;
}

/// Gives every runnable wave a turn. Returns false after a fault, which was
/// reported. Sets \p Yielded if all waves that ran now sleep, waiting for
/// memory or other workgroups.
bool Dispatcher::Worker::runRound(ResidentGroup &G, bool &Yielded) {
  bool Ran = false, Busy = false;
  for (Wave &W : G.Waves) {
    if (W.Status == Wave::State::AtBarrier && W.barrierPassed()) {
      W.Status = Wave::State::Running;
      ++W.AwaitedPhase; // a wait without a signal waits for the next phase
    }
    if (W.Status == Wave::State::Running || W.Status == Wave::State::Yielded) {
      W.Status = Wave::State::Running;
      runWave(W);
    } else if (W.Status != Wave::State::Faulted) {
      continue; // a fault here is of the wave's setup
    }
    Ran = true;
    if (W.Status == Wave::State::Faulted) {
      if (W.Failure->What == Fault::Kind::InstructionLimit)
        D.giveUp(std::move(*W.Failure)); // a limit of the whole dispatch
      else
        D.fail(G.Index, std::move(*W.Failure));
      return false;
    }
    if (W.Status == Wave::State::Ended) {
      --G.Group.LiveWaves;
      G.Group.completeBarrier();
    }
    Busy |= W.Status != Wave::State::Yielded;
  }
  Yielded = !Busy;
  if (!Ran)
    deadlock(G);
  return Ran;
}

void Dispatcher::Worker::runWave(Wave &W) {
  uint64_t Budget = budget();
  if (Budget == 0) {
    Instruction Here;
    Here.Address = W.Pc;
    if (const Instruction *I = Code.find(At, W.Pc))
      Here.Text = I->Text;
    W.fault(Fault::Kind::InstructionLimit, Here,
            "more than " + llvm::Twine(D.Launch.Options->InstructionLimit) +
                " wave-instructions; the kernel may not end");
    return;
  }
  uint64_t Executed = 0;
  std::optional<HostFault> HostProblem = accessHost(W.Ranges, [&] {
    Executed = Trace ? executeTraced(W, Budget) : execute(W, Budget);
  });
  if (LLVM_UNLIKELY(HostProblem.has_value()))
    refused(W, *HostProblem);
  Untold += Executed;
  if (Untold >= WaveQuantum || D.Launch.Options->InstructionLimit)
    tell();
}

void Dispatcher::Worker::tell() {
  D.Instructions.fetch_add(std::exchange(Untold, 0), std::memory_order_relaxed);
}

/// Returns the number of instructions in the next turn.
uint64_t Dispatcher::Worker::budget() const {
  uint64_t Limit = D.Launch.Options->InstructionLimit;
  if (!Limit)
    return WaveQuantum;
  uint64_t Done = D.Instructions.load(std::memory_order_relaxed);
  return Done >= Limit ? 0 : std::min(WaveQuantum, Limit - Done);
}

uint64_t Dispatcher::Worker::execute(Wave &W, uint64_t Budget) {
  uint64_t Left = Budget;
  do {
    const Instruction *I = Code.find(At, W.Pc);
    if (LLVM_UNLIKELY(!I)) {
      undecodable(W);
      if (W.Status != Wave::State::Running)
        break;
      continue;
    }
    W.Pc += I->Size;
    I->Execute(W, *I);
    --Left;
  } while (LLVM_LIKELY(W.Status == Wave::State::Running) && Left);
  return Budget - Left;
}

uint64_t Dispatcher::Worker::executeTraced(Wave &W, uint64_t Budget) {
  uint64_t Executed = 0;
  while (W.Status == Wave::State::Running && Executed < Budget) {
    const Instruction *I = Code.find(At, W.Pc);
    if (!I) {
      undecodable(W);
      continue;
    }
    Trace->before(W);
    W.Pc += I->Size;
    I->Execute(W, *I);
    Trace->after(W, *I);
    ++Executed;
  }
  return Executed;
}

/// Reports an access that the system refused, of the instruction before the
/// program counter, as a fault of the lane.
void Dispatcher::Worker::refused(Wave &W, const HostFault &Cause) {
  Instruction Unknown;
  Unknown.Address = W.Pc;
  const Instruction *I = nullptr;
  for (uint64_t Size = 4; Size <= 20; Size += 4) {
    I = Code.find(At, W.Pc - Size);
    if (I && I->Size == Size)
      break;
    I = nullptr;
  }
  uint64_t Address = Cause.address(*W.Ranges);
  if (I) {
    FaultSearch Search(Cause, Address);
    W.LastRange = MemoryRange();
    I->Execute(W, *I);
  }
  if (W.Status != Wave::State::Faulted)
    W.fault(Fault::Kind::MemoryAccess, I ? *I : Unknown,
            D.Launch.Memory->describe(Address) + Cause.reason(), /*Lane=*/-1,
            Address);
}

/// Decodes the instruction at the program counter, or faults.
void Dispatcher::Worker::undecodable(Wave &W) {
  HostAccess::Pause NoAccess; // decoding takes locks
  CodeCache::Problem Why;
  if (Code.fetch(W.Pc, Why))
    return;
  Instruction Here;
  Here.Address = W.Pc;
  Here.Text = std::move(Why.Instruction);
  W.fault(Why.What, Here, Why.Detail, /*Lane=*/-1, W.Pc);
}

void Dispatcher::Worker::deadlock(ResidentGroup &G) {
  std::string Waiting;
  Wave *First = nullptr;
  for (Wave &W : G.Waves) {
    if (W.Status != Wave::State::AtBarrier)
      continue;
    Waiting += (Waiting.empty() ? "" : ", ") + std::to_string(W.Index);
    if (!First)
      First = &W;
  }
  if (!First)
    return; // no wave is alive: runSlice() has ended the workgroup
  Instruction Here;
  Here.Address = First->Pc;
  First->fault(Fault::Kind::Deadlock, Here,
               "waves " + Waiting +
                   " wait at a barrier that no other wave will reach");
  D.fail(G.Index, std::move(*First->Failure));
}

//===----------------------------------------------------------------------===//
// Shared state
//===----------------------------------------------------------------------===//

Dispatcher::Dispatcher(const Dispatch &Launch, const KernelDescriptor &Kernel,
                       CodeCache &Code, uint64_t PacketAddress)
    : Launch(Launch), Kernel(Kernel), Code(Code), PacketAddress(PacketAddress) {
  GroupCount = 1;
  for (unsigned D = 0; D < 3; ++D) {
    uint64_t Size = Launch.Request->WorkgroupSize[D];
    Groups[D] = (Launch.Request->GridSize[D] + Size - 1) / Size;
    GroupCount *= Groups[D];
  }
}

void Dispatcher::work() { Worker(*this).run(); }

void Dispatcher::fail(uint64_t Group, Fault F) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Group >= FailedGroup.load(std::memory_order_relaxed))
    return;
  Failure = std::move(F);
  FailedGroup.store(Group, std::memory_order_relaxed);
}

void Dispatcher::giveUp(Fault F) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!Failure)
    Failure = std::move(F);
  Stop.store(true, std::memory_order_relaxed);
}

std::optional<uint64_t> Dispatcher::takeGroup() {
  // Workgroups are started in order, so the remaining ones come after any that
  // has failed.
  if (FailedGroup.load(std::memory_order_relaxed) != NoGroup)
    return std::nullopt;
  // Check first, so that repeated calls cannot wrap the counter.
  if (NextGroup.load(std::memory_order_relaxed) >= GroupCount)
    return std::nullopt;
  uint64_t Index = NextGroup.fetch_add(1, std::memory_order_relaxed);
  if (Index >= GroupCount)
    return std::nullopt;
  return Index;
}

std::array<uint32_t, 3> Dispatcher::getId(uint64_t Group) const {
  return {uint32_t(Group % Groups[0]), uint32_t(Group / Groups[0] % Groups[1]),
          uint32_t(Group / Groups[0] / Groups[1])};
}

DispatchResult Dispatcher::result() {
  DispatchResult R;
  R.Instructions = Instructions.load();
  R.Waves = Waves.load();
  std::lock_guard<std::mutex> Guard(Lock);
  R.Failure = std::move(Failure);
  return R;
}
