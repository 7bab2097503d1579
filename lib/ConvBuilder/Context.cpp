//===- Context.cpp - factory of plans for a device ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates of a problem are computed once for all of its plans, since
// that takes longer than the rest of a plan. Kernels come from the program,
// archives or the executor; none is cached here.
//
//===----------------------------------------------------------------------===//
#include "ContextState.h"

#include "ConvBuilder/Emit.h"
#include "Support/Texts.h"
#include "kpack/ConvBuilder/InstanceLaunch.h"
#include "kpack/ConvBuilder/LowerAlgorithm.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace kpack;
using namespace kpack::conv;

/// The number of lists that are kept; one of 1,500 candidates takes about a
/// megabyte.
static constexpr size_t MaxAnswers = 16;
/// A CPU runs a work-group as a loop.
static constexpr int CpuBlock = 64;

//===----------------------------------------------------------------------===//
// State that plans share
//===----------------------------------------------------------------------===//

Context::State::State(std::shared_ptr<Backend> On, ContextOptions Options)
    : On(std::move(On)), Options(std::move(Options)), Digest(kernelsDigest()),
      Producer(tuningProducer()) {
  std::vector<std::string> Topics =
      splitAt(variable("KPACK_CONV_VERBOSE"), ',');
  IsVerbose =
      std::find(Topics.begin(), Topics.end(), "dispatch") != Topics.end();
}

std::string_view Context::State::processorName() const {
  return Target(std::string_view(processor())).Name;
}

Status Context::State::open() {
  std::vector<std::string> Files = Options.tuning_files;
  if (!Options.tuning_file.empty())
    Files.push_back(Options.tuning_file);
  for (const std::string &Path : Files) {
    Result<TuningTable> Read = TuningTable::read(Path);
    if (Read)
      Table.merge(*Read);
    else if (Path != Options.tuning_file ||
             Read.status().code() != StatusCode::FileNotFound)
      return Read.status();
  }
  if (Options.archives.empty())
    return Status::success();
  if (processor() == CpuProcessor)
    return Status(StatusCode::InvalidArgument,
                  Options.archives.front() +
                      ": archives have kernels of GPUs, and the device is the "
                      "CPU; leave archives out");
  KernelLibraryOptions LibraryOptions;
  LibraryOptions.Archives = Options.archives;
  LibraryOptions.Targets = exactCandidates(processor());
  auto Opened =
      KernelLibrary<Loader>::open(std::move(LibraryOptions), Loader());
  if (!Opened)
    return Opened.status();
  Archives = std::move(*Opened);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

std::string conv::getShortName(const Algorithm &Algo) {
  std::string Name(nameOf(Algo.kind));
  return Algo.isa == Isa::AUTO ? Name
                               : Name + "/" + std::string(nameOf(Algo.isa));
}

/// Returns the number of products that are added.
static double countMultiplies(const Signature &Sig, const Problem &Sizes) {
  ProductSize Size = productOf(Sig, Sizes);
  return static_cast<double>(Size.Rows) * static_cast<double>(Size.Columns) *
         static_cast<double>(Size.Depth) * Sizes.groups;
}

void Context::State::offer(const Question &Asked, const Algorithm &Algo,
                           Target For, CandidateList &List) const {
  Conditions Want;
  Want.WorkspaceLimit = Asked.WorkspaceLimit;
  Want.Deterministic = Asked.Deterministic;
  Resolved R = For.Name.empty()
                   ? Resolved{Asked.Sig, Algo,
                              validate(Asked.Sig, Algo, {}, Asked.Sizes, Want)}
                   : resolve(Asked.Sig, Algo, For, Asked.Sizes, Want);
  Result<Lowered> Values = Status(StatusCode::InvalidArgument, "refused");
  if (R.ok())
    Values = lower(Asked.Sig, R.Algo, processorName());
  if (Values) {
    Candidate One{R.Algo, {}, workspaceBytes(Asked.Sig, *Values, Asked.Sizes)};
    if (const Processor *Gpu = findProcessor(For))
      One.estimate = estimate(Asked.Sig, R.Algo, Asked.Sizes, *Gpu);
    else // an estimate for the order: 2 ns a product
      One.estimate.total = countMultiplies(Asked.Sig, Asked.Sizes) / 500;
    List.All.push_back(One);
    return;
  }
  if (R.ok()) {
    List.Refused.push_back(
        {R.Algo, "A16", "algorithm.kind", Values.status().message(), ""});
    return;
  }
  for (unsigned I = 0; I < R.Why.size(); ++I) {
    Finding F = R.Why[I];
    List.Refused.push_back({R.Algo, std::string(F.Id), std::string(F.Path),
                            std::string(F.Fact), std::string(F.Remedy)});
  }
}

/// Offers kinds that need no special instructions: Capabilities has no column
/// for CPUs.
void Context::State::walkCpu(const Question &Asked, CandidateList &List) const {
  for (Kind KernelKind : {Kind::DIRECT, Kind::REFERENCE}) {
    Algorithm Algo;
    Algo.kind = KernelKind;
    Algo.isa = Isa::VALU;
    Algo.block_size = CpuBlock;
    if (KernelKind == Kind::DIRECT || Asked.AllowReference)
      offer(Asked, Algo, {}, List);
  }
}

/// Offers the algorithm of the caller only.
void Context::State::takeOnly(const Question &Asked,
                              CandidateList &List) const {
  if (processor() != CpuProcessor)
    return offer(Asked, Asked.Only, Target(processorName()), List);
  Algorithm Algo = openForCpu(Asked.Only);
  bool IsOfElements = Algo.kind == Kind::DIRECT || Algo.kind == Kind::REFERENCE;
  if (IsOfElements && Algo.block_size == 0)
    Algo.block_size = CpuBlock;
  if (!IsOfElements && Algo.isa == Isa::VALU)
    Algo = resolve(Asked.Sig, Algo, LikeTheCpu, Asked.Sizes).Algo;
  offer(Asked, Algo, {}, List);
}

CandidateList Context::State::makeCandidates(const Question &Asked) const {
  CandidateList List;
  if (Asked.Only != Algorithm()) {
    takeOnly(Asked, List);
  } else if (processor() == CpuProcessor) {
    walkCpu(Asked, List);
  } else {
    Constraints Within;
    Within.workspace_limit = Asked.WorkspaceLimit;
    Within.deterministic = Asked.Deterministic;
    Within.allow_reference = Asked.AllowReference;
    List.All = candidates(Asked.Sig, Asked.Sizes, processorName(), Within,
                          &List.Refused);
  }
  return List;
}

std::shared_ptr<const CandidateList>
Context::State::getCandidates(const Signature &Sig, const Problem &Sizes,
                              const PlanOptions &Want) {
  Question Asked{Sig,
                 Sizes,
                 Want.workspace_limit,
                 Want.deterministic,
                 Want.allow_reference,
                 Want.algorithm};
  {
    std::lock_guard<std::mutex> Held(Lock);
    for (auto It = Answers.begin(); It != Answers.end(); ++It)
      if (It->To == Asked) {
        Answers.splice(Answers.begin(), Answers, It);
        return It->List;
      }
  }
  auto List = std::make_shared<const CandidateList>(makeCandidates(Asked));
  std::lock_guard<std::mutex> Held(Lock);
  Answers.push_front({std::move(Asked), List});
  if (Answers.size() > MaxAnswers)
    Answers.pop_back();
  return List;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// A kernel that was compiled with the program.
class ProgramKernel final : public LoadedKernel {
public:
  explicit ProgramKernel(const AotRecord &Record) : Of(Record) {}

  Status launch(const KernelLaunch &Launch) override {
    // HIP takes pointers to read-only arguments without const.
    void *Bytes = const_cast<std::byte *>(Launch.Arguments.data());
    for (const LaunchStep &Step : Launch.Steps)
      if (int Code = Of.Launch(static_cast<int>(Step.Which), Step.Grid.data(),
                               Step.Block, Step.Lds, Bytes, Launch.Stream);
          Code != 0)
        return conv::detail::launchFailed(Code);
    return Status::success();
  }

private:
  const AotRecord &Of;
};

} // namespace

void Context::State::add(AotRecords Records) {
  std::lock_guard<std::mutex> Held(Lock);
  Programs.push_back(Records);
  ++Arrivals;
}

/// Returns null if no program has the kernel.
const AotRecord *Context::State::findRecord(const Signature &Sig,
                                            const Algorithm &Algo) {
  std::lock_guard<std::mutex> Held(Lock);
  if (Programs.empty())
    return nullptr;
  uint64_t Hash = kernelHashOf(Sig, Algo);
  std::string Text = makeNoteText(Sig, Algo, processorName());
  for (AotRecords Records : Programs)
    if (const AotRecord *Found = Records.find(Hash, processorName(), Text))
      return Found;
  return nullptr;
}

bool Context::State::isInArchive(const Signature &Sig,
                                 const Algorithm &Algo) const {
  return Archives && Archives->has(getArchiveKey(Sig, Algo, Digest));
}

bool Context::State::isAot(const Signature &Sig, const Algorithm &Algo) {
  return isInArchive(Sig, Algo) || findRecord(Sig, Algo);
}

Result<ConvKernel> Context::State::getCode(const Signature &Sig,
                                           const Algorithm &Algo,
                                           jit::Lookup Allowed) const {
  if (!isInArchive(Sig, Algo))
    return ConvKernel::compile(Sig, Algo, processor(), Options.jit, Allowed);
  auto Found = Archives->get(getArchiveKey(Sig, Algo, Digest));
  if (!Found)
    return Found.status();
  return ConvKernel::of(Found->module(), Sig, Algo, processor());
}

Status Context::State::load(PlanKernel &Target, const Signature &Sig,
                            const Algorithm &Algo, jit::Lookup Allowed) {
  if (const AotRecord *Own = findRecord(Sig, Algo)) {
    Target.Loaded = std::make_unique<ProgramKernel>(*Own);
    return Status::success();
  }
  Result<ConvKernel> Code = getCode(Sig, Algo, Allowed);
  if (!Code)
    return Code.status();
  Target.Kernel.emplace(std::move(*Code));
  std::lock_guard<std::mutex> One(Loading);
  Result<std::unique_ptr<LoadedKernel>> Loaded = On->load(*Target.Kernel);
  if (Loaded)
    Target.Loaded = std::move(*Loaded);
  return Loaded.status();
}

Result<std::unique_ptr<PlanKernel>>
Context::State::kernelOf(const Signature &Sig, const Problem &Sizes,
                         const Algorithm &Algo, jit::Lookup Allowed) {
  Result<Lowered> L = lower(Sig, Algo, processorName());
  if (!L)
    return L.status();
  Result<KernelLaunch> Launch = launchOf(Sig, *L, Sizes, argsFor(Sig));
  if (!Launch)
    return Launch.status();
  auto Built = std::make_unique<PlanKernel>();
  Built->Launch = *Launch;
  if (Status S = load(*Built, Sig, Algo, Allowed); !S.ok())
    return S;
  ++Arrivals;
  return Built;
}

//===----------------------------------------------------------------------===//
// Tuning
//===----------------------------------------------------------------------===//

std::vector<TuningRecord> Context::State::tuned(const Signature &Sig,
                                                const Problem &Sizes) {
  std::lock_guard<std::mutex> Held(Lock);
  if (Table.size() == 0)
    return {};
  return Table.find(processorName(), Sig, Sizes, Producer);
}

void Context::State::addTuned(const TuningRecord &Record) {
  std::lock_guard<std::mutex> Held(Lock);
  Table.add(Record);
}

/// Returns the smallest of \p Samples measurements of the selected candidate.
/// Errors: InvalidArgument if \p Take returns no time.
static Result<double> measureLeast(const Plan &TunedPlan, const Measure &Take,
                                   unsigned Samples) {
  double Least = 0;
  // The first call has additional costs.
  (void)Take(TunedPlan);
  for (unsigned I = 0; I < Samples; ++I) {
    double Now = Take(TunedPlan);
    if (!(std::isfinite(Now) && Now > 0))
      return Status(StatusCode::InvalidArgument,
                    "tune: what measures gives no time in microseconds");
    Least = I == 0 ? Now : std::min(Least, Now);
  }
  return Least;
}

Result<TuningRecord> Context::tune(Plan &TunedPlan, const Measure &Take,
                                   const Budget &May) const {
  using Clock = std::chrono::steady_clock;
  auto End = Clock::now() + std::chrono::duration<double>(May.seconds);
  std::optional<std::pair<double, size_t>> Best;
  unsigned Samples = std::max(1U, May.samples);
  Status Failure(StatusCode::InvalidArgument, "tune: no candidate is allowed");
  size_t Count = std::min<size_t>(TunedPlan.size(), May.candidates);
  for (size_t I = 0; I < Count && (I == 0 || Clock::now() < End); ++I) {
    Failure = TunedPlan.prepare(I);
    if (!Failure.ok())
      continue;
    TunedPlan.select(I);
    Result<double> Time = measureLeast(TunedPlan, Take, Samples);
    if (!Time)
      return Time.status();
    if (!Best || *Time < Best->first)
      Best = {*Time, I};
  }
  if (!Best)
    return Failure;
  TunedPlan.select(Best->second);
  TuningRecord Record{std::string(Its->processorName()),
                      TunedPlan.signature(),
                      TunedPlan.problem(),
                      TunedPlan[Best->second].how,
                      Best->first,
                      Samples,
                      Its->producer()};
  // A record that the reader refuses must not come into a file.
  TuningTable Written;
  Written.add(Record);
  if (Result<TuningTable> Read = TuningTable::parse(Written.text(), "tune");
      !Read)
    return Status(StatusCode::InvalidArgument, Read.status().message());
  Its->addTuned(Record);
  if (const std::string &Path = Its->options().tuning_file; !Path.empty()) {
    if (Status S = Written.writeTo(Path); !S.ok())
      return S;
  }
  return Record;
}

//===----------------------------------------------------------------------===//
// The handle
//===----------------------------------------------------------------------===//

Result<Context> Context::create(std::shared_ptr<Backend> On,
                                ContextOptions Options) {
  if (!On)
    return Status(StatusCode::InvalidArgument,
                  "context: there is no device; make a backend");
  auto Impl = std::make_shared<State>(std::move(On), std::move(Options));
  if (Status S = Impl->open(); !S.ok())
    return S;
  return Context(std::move(Impl));
}

const std::string &Context::processor() const { return Its->processor(); }

void Context::add(AotRecords Records) const { Its->add(Records); }
