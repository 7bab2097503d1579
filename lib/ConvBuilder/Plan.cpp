//===- Plan.cpp - ranked algorithms for a problem -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan keeps its kernels until it ends, so that a call can continue with its
// kernel while another one becomes the current. A compile in the background is
// a Preparation of the executor.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Plan.h"

#include "ContextState.h"
#include "kpack/ConvBuilder/LowerAlgorithm.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"

#include <atomic>
#include <cstdio>
#include <map>

using namespace kpack;
using namespace kpack::conv;

/// The limit of lookups for candidates that are not in an archive; each takes
/// about a millisecond. Lookups of kernels with the fewest parts, which another
/// problem most likely has compiled, are not counted.
static constexpr size_t MaxLookUps = 32;

class Plan::State {
public:
  State(std::shared_ptr<Context::State> Parent, const Signature &Sig,
        const Problem &Sizes, const PlanOptions &Options,
        std::shared_ptr<const CandidateList> List)
      : Of(std::move(Parent)), Sig(Sig), Sizes(Sizes), Options(Options),
        List(std::move(List)) {}
  ~State();

  const Candidate &candidate(size_t I) const {
    return I < List->All.size() ? List->All[I] : More[I - List->All.size()];
  }
  size_t size() const { return List->All.size() + More.size(); }
  size_t find(const Algorithm &Algo) const;

  void takeTuned();
  void select(size_t I);
  Status select(std::string_view Text);
  KernelState getState(size_t I);
  Status prepare(size_t I, jit::Lookup Allowed);
  Result<const PlanKernel *> first();
  Status wait();

  const std::shared_ptr<Context::State> Of;
  const Signature Sig;
  const Problem Sizes;
  const PlanOptions Options;
  const std::shared_ptr<const CandidateList> List;
  /// From the caller. Grows only with the lock held. All functions but run()
  /// are for one thread at a time, so they may read it without the lock.
  std::vector<Candidate> More;
  std::vector<std::pair<size_t, double>> Measured;
  std::atomic<const PlanKernel *> Now{nullptr}; ///< the kernel of run()

  std::mutex Lock; ///< guards all members below
  size_t Selected = 0;

private:
  Result<const PlanKernel *> lookUp(size_t I, jit::Lookup Allowed);
  const PlanKernel *keep(size_t I, std::unique_ptr<PlanKernel> Kernel);
  Result<const PlanKernel *> bestWarm();
  void begin(size_t I);
  Status compileBehind(size_t I);

  std::map<size_t, std::unique_ptr<PlanKernel>> Kernels;
  /// Of->arrivals() when no candidate was compiled.
  std::optional<unsigned> NothingWarm;
  std::optional<size_t> Begun; ///< the last compile begun in the background
  Status Failure;              ///< of a compile in the background
  std::list<jit::Preparation> Work;
};

/// Waits without the lock, since the compiles need it.
Plan::State::~State() { (void)wait(); }

Status Plan::State::wait() {
  std::list<jit::Preparation> Running;
  {
    std::lock_guard<std::mutex> Held(Lock);
    Running.swap(Work);
  }
  for (jit::Preparation &Each : Running)
    (void)Each.wait(); // compileBehind() keeps the failure
  std::lock_guard<std::mutex> Held(Lock);
  return Failure;
}

size_t Plan::State::find(const Algorithm &Algo) const {
  Algorithm Wanted = withoutHints(Algo);
  for (size_t I = 0; I < size(); ++I)
    if (withoutHints(candidate(I).how) == Wanted)
      return I;
  return size();
}

/// Runs before other threads have the plan. Uses times of the same kernels
/// only; for other kernels, the fastest algorithm is as good a start as an
/// estimate.
void Plan::State::takeTuned() {
  bool IsSelected = false;
  for (const TuningRecord &Record : Of->tuned(Sig, Sizes)) {
    size_t I = find(Record.How);
    if (I == size())
      continue;
    if (!IsSelected)
      Selected = I;
    IsSelected = true;
    if (Record.Producer == Of->producer())
      Measured.push_back({I, Record.Microseconds});
  }
}

//===----------------------------------------------------------------------===//
// Kernels. The caller holds the lock.
//===----------------------------------------------------------------------===//

const PlanKernel *Plan::State::keep(size_t I,
                                    std::unique_ptr<PlanKernel> Kernel) {
  std::unique_ptr<PlanKernel> &Place = Kernels[I];
  if (!Place) {
    Place = std::move(Kernel);
    Place->Index = I;
  }
  return Place.get();
}

Result<const PlanKernel *> Plan::State::lookUp(size_t I, jit::Lookup Allowed) {
  if (auto Known = Kernels.find(I); Known != Kernels.end())
    return static_cast<const PlanKernel *>(Known->second.get());
  Result<std::unique_ptr<PlanKernel>> Compiled =
      Of->kernelOf(Sig, Sizes, candidate(I).how, Allowed);
  if (!Compiled)
    return Compiled.status();
  return keep(I, std::move(*Compiled));
}

Result<const PlanKernel *> Plan::State::bestWarm() {
  // Read before the lookups, so that the next call looks for kernels that
  // arrive meanwhile.
  unsigned Arrivals = Of->arrivals();
  bool IsKnown = NothingWarm == Arrivals;
  size_t LookUps = 0;
  Status Unusable; // the error of a kernel that cannot be used
  for (size_t I = 0; I < size() && !IsKnown; ++I) {
    const Algorithm &Algo = candidate(I).how;
    bool IsSimple = Algo.kind == Kind::DIRECT || Algo.kind == Kind::REFERENCE;
    if (!Kernels.count(I) && !Of->isAot(Sig, Algo) && !IsSimple &&
        ++LookUps > MaxLookUps)
      continue;
    Result<const PlanKernel *> Found = lookUp(I, jit::Lookup::OnlyCached);
    if (Found)
      return Found;
    if (Found.status().detail() != Errc::MissingKernel)
      Unusable = Found.status();
  }
  if (!Unusable.ok())
    return Unusable;
  NothingWarm = Arrivals;
  return Status(StatusCode::KernelNotFound,
                "plan: no candidate is compiled; " +
                    std::string(Options.cold == Cold::Background
                                    ? "one is being compiled: call again"
                                    : "prepare() compiles one"),
                Errc::MissingKernel);
}

void Plan::State::begin(size_t I) {
  if (Begun == I)
    return;
  Begun = I;
  Failure = Status::success();
  Work.remove_if([](jit::Preparation &Each) { return Each.ready(); });
  Work.emplace_back();
  Work.back().add_work([this, I] { return compileBehind(I); });
  Work.back().start();
}

/// Runs on another thread, and takes the lock only to copy its input and to
/// keep the result.
Status Plan::State::compileBehind(size_t I) {
  Algorithm Algo;
  {
    std::lock_guard<std::mutex> Held(Lock);
    Algo = candidate(I).how;
  }
  Result<std::unique_ptr<PlanKernel>> Compiled =
      Of->kernelOf(Sig, Sizes, Algo, jit::Lookup::Compile);
  std::lock_guard<std::mutex> Held(Lock);
  if (!Compiled)
    return Failure = Compiled.status();
  const PlanKernel *Kept = keep(I, std::move(*Compiled));
  if (Selected == I)
    Now.store(Kept, std::memory_order_release);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Requests of callers
//===----------------------------------------------------------------------===//

void Plan::State::select(size_t I) {
  std::lock_guard<std::mutex> Held(Lock);
  Selected = I;
  auto Known = Kernels.find(I);
  if (Known != Kernels.end())
    return Now.store(Known->second.get(), std::memory_order_release);
  // The current kernel keeps running until the selected one is compiled.
  if (Options.cold == Cold::Background && Now.load(std::memory_order_relaxed))
    begin(I);
  else
    Now.store(nullptr, std::memory_order_release);
}

Status Plan::State::select(std::string_view Text) {
  Result<Algorithm> Given = parse<Algorithm>(Text);
  if (!Given)
    return Given.status();
  size_t I = find(*Given);
  if (I == size()) {
    PlanOptions Only = Options;
    Only.algorithm = *Given;
    auto Found = Of->getCandidates(Sig, Sizes, Only);
    if (Found->All.empty())
      return Status(StatusCode::InvalidArgument,
                    Found->Refused.empty() ? "algorithm: it is none"
                                           : Found->Refused.front().text());
    I = find(Found->All.front().how);
    if (I == size()) {
      std::lock_guard<std::mutex> Held(Lock);
      More.push_back(Found->All.front());
    }
  }
  select(I);
  return Status::success();
}

KernelState Plan::State::getState(size_t I) {
  std::lock_guard<std::mutex> Held(Lock);
  if (Of->isAot(Sig, candidate(I).how))
    return KernelState::Aot;
  return lookUp(I, jit::Lookup::OnlyCached) ? KernelState::Cached
                                            : KernelState::Cold;
}

Status Plan::State::prepare(size_t I, jit::Lookup Allowed) {
  std::lock_guard<std::mutex> Held(Lock);
  Result<const PlanKernel *> Ready = lookUp(I, Allowed);
  if (!Ready)
    return Ready.status();
  if (Selected == I)
    Now.store(*Ready, std::memory_order_release);
  return Status::success();
}

/// Returns the kernel that run() is to use from now on.
Result<const PlanKernel *> Plan::State::first() {
  std::lock_guard<std::mutex> Held(Lock);
  if (const PlanKernel *Known = Now.load(std::memory_order_relaxed))
    return Known;
  Result<const PlanKernel *> Found =
      lookUp(Selected, Options.cold == Cold::Wait ? jit::Lookup::Compile
                                                  : jit::Lookup::OnlyCached);
  bool IsMissing = !Found && Found.status().detail() == Errc::MissingKernel;
  if (IsMissing && Options.cold == Cold::Background)
    begin(Selected);
  if (IsMissing &&
      (Options.cold == Cold::Background || Options.cold == Cold::UseWarm)) {
    Found = bestWarm();
    // The failed compile explains more than a missing kernel.
    if (!Found && !Failure.ok())
      return Failure;
  }
  if (Found)
    Now.store(*Found, std::memory_order_release);
  return Found;
}

std::string_view conv::nameOf(KernelState State) {
  switch (State) {
  case KernelState::Aot:
    return "aot";
  case KernelState::Cached:
    return "cached";
  case KernelState::Cold:
    break;
  }
  return "cold";
}

Plan::Plan(std::unique_ptr<State> Impl) : Its(std::move(Impl)) {}
Plan::Plan(Plan &&Other) noexcept = default;
Plan &Plan::operator=(Plan &&Other) noexcept = default;
Plan::~Plan() = default;

const Signature &Plan::signature() const { return Its->Sig; }
const Problem &Plan::problem() const { return Its->Sizes; }
size_t Plan::size() const { return Its->size(); }
const Candidate &Plan::operator[](size_t I) const { return Its->candidate(I); }
std::string Plan::text(size_t I) const {
  return conv::text(withoutHints(Its->candidate(I).how));
}
KernelState Plan::state(size_t I) const { return Its->getState(I); }
const std::vector<Refusal> &Plan::refusals() const {
  return Its->List->Refused;
}

std::optional<double> Plan::measured(size_t I) const {
  for (auto [Index, Microseconds] : Its->Measured)
    if (Index == I)
      return Microseconds;
  return std::nullopt;
}

size_t Plan::selected() const {
  std::lock_guard<std::mutex> Held(Its->Lock);
  return Its->Selected;
}
std::optional<size_t> Plan::running() const {
  const PlanKernel *Used = Its->Now.load(std::memory_order_acquire);
  return Used ? std::optional<size_t>(Used->Index) : std::nullopt;
}
void Plan::select(size_t I) { Its->select(I); }
Status Plan::select(std::string_view Text) { return Its->select(Text); }
Status Plan::prepare(size_t I) { return Its->prepare(I, jit::Lookup::Compile); }
Status Plan::wait() { return Its->wait(); }

[[gnu::cold]] static Status noWorkspace(long long Bytes) {
  return Status(StatusCode::InvalidArgument,
                "args.workspace: it is null, and " + std::to_string(Bytes) +
                    " bytes are needed");
}

/// True if the caller has given all memory; a GPU would report only an access
/// to address 0.
static bool hasMemory(const TensorArgs &Given, unsigned Operands) {
  bool Has = Given.data;
  for (unsigned I = 0; I < Operands; ++I)
    Has &= Given.auxiliary[I].data != nullptr;
  return Has;
}
static bool hasMemory(const Args &With, const std::array<unsigned, 3> &Counts) {
  return hasMemory(With.input, Counts[0]) &&
         hasMemory(With.weight, Counts[1]) && hasMemory(With.output, Counts[2]);
}
[[gnu::cold]] static Status noMemory(const Args &With) {
  const TensorArgs *Tensors[] = {&With.input, &With.weight, &With.output};
  constexpr const char *Names[] = {"input", "weight", "output"};
  unsigned Which = 0;
  while (Which < 2 && Tensors[Which]->data)
    ++Which;
  std::string Member = Tensors[Which]->data ? "auxiliary" : Names[Which];
  return Status(StatusCode::InvalidArgument,
                "args." + Member +
                    ".data: is null; give the tensor's memory on the device");
}

Status Plan::run(void *Stream, const Args &With) const {
  const PlanKernel *Use = Its->Now.load(std::memory_order_acquire);
  if (!Use) [[unlikely]] {
    Result<const PlanKernel *> Found = Its->first();
    if (!Found)
      return Found.status();
    Use = *Found;
  }
  if (Use->Launch.Workspace && !With.workspace) [[unlikely]]
    return noWorkspace(Use->Launch.Workspace);
  if (!hasMemory(With, Use->Launch.AuxiliaryCounts)) [[unlikely]]
    return noMemory(With);
  KernelLaunch Launch = Use->Launch;
  Launch.Stream = Stream;
  Launch.setArgs(With);
  return Use->Loaded->launch(Launch);
}

//===----------------------------------------------------------------------===//
// Making a plan
//===----------------------------------------------------------------------===//

/// Returns the index of the failed requirement in the table, which counts the
/// requirements that the candidate has passed.
static size_t placeOf(const Refusal &R) {
  size_t Place = 0;
  for (const Requirement &Each : Requirements) {
    if (Each.Id == R.id)
      break;
    ++Place;
  }
  return Place;
}

Result<Plan> Context::plan(const Signature &Given, const Problem &Sizes,
                           const PlanOptions &Options) const {
  Signature Sig = resolveSignature(Given);
  auto List = Its->getCandidates(Sig, Sizes, Options);
  if (Its->isVerbose())
    for (const Refusal &Each : List->Refused)
      std::fprintf(stderr, "kpack-conv: dispatch: %s: %s\n",
                   getShortName(Each.how).c_str(), Each.text().c_str());
  if (List->All.empty()) {
    const Refusal *Closest = nullptr;
    for (const Refusal &Each : List->Refused)
      if (!Closest || placeOf(Each) > placeOf(*Closest))
        Closest = &Each;
    return Status(StatusCode::InvalidArgument,
                  "plan: no algorithm computes this on " + processor() +
                      (Closest ? "; closest is " + getShortName(Closest->how) +
                                     ", which fails " + Closest->text()
                               : std::string()));
  }
  auto Impl =
      std::make_unique<Plan::State>(Its, Sig, Sizes, Options, std::move(List));
  Impl->takeTuned();
  return Plan(std::move(Impl));
}
