//===- Context.cpp - a device and its kernels -----------------------------===//
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
  std::vector<std::string> Words = splitAt(variable("KPACK_CONV_VERBOSE"), ',');
  IsVerbose = std::find(Words.begin(), Words.end(), "dispatch") != Words.end();
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
  KernelLibraryOptions From;
  From.Archives = Options.archives;
  From.Targets = exactCandidates(processor());
  auto Opened = KernelLibrary<Loader>::open(std::move(From), Loader());
  if (!Opened)
    return Opened.status();
  Archives = std::move(*Opened);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

std::string conv::shortNameOf(const Algorithm &How) {
  std::string Name(nameOf(How.kind));
  return How.isa == Isa::AUTO ? Name
                              : Name + "/" + std::string(nameOf(How.isa));
}

/// Returns the number of products that are added.
static double multipliesOf(const Signature &Sig, const Problem &Sizes) {
  ProductSize Size = productOf(Sig, Sizes);
  return static_cast<double>(Size.Rows) * static_cast<double>(Size.Columns) *
         static_cast<double>(Size.Depth) * Sizes.groups;
}

void Context::State::offer(const Question &Asked, const Algorithm &How,
                           Target For, CandidateList &To) const {
  Conditions Want;
  Want.WorkspaceLimit = Asked.WorkspaceLimit;
  Want.Deterministic = Asked.Deterministic;
  Resolved R = For.Name.empty()
                   ? Resolved{Asked.Sig, How,
                              validate(Asked.Sig, How, {}, Asked.Sizes, Want)}
                   : resolve(Asked.Sig, How, For, Asked.Sizes, Want);
  Result<Lowered> Made = Status(StatusCode::InvalidArgument, "refused");
  if (R.ok())
    Made = lower(Asked.Sig, R.Algo, processorName());
  if (Made) {
    Candidate One{R.Algo, {}, workspaceBytes(Asked.Sig, *Made, Asked.Sizes)};
    if (const Processor *Gpu = findProcessor(For))
      One.estimate = estimate(Asked.Sig, R.Algo, Asked.Sizes, *Gpu);
    else // an estimate for the order: 2 ns a product
      One.estimate.total = multipliesOf(Asked.Sig, Asked.Sizes) / 500;
    To.All.push_back(One);
    return;
  }
  if (R.ok()) {
    To.Refused.push_back(
        {R.Algo, "A16", "algorithm.kind", Made.status().message(), ""});
    return;
  }
  for (unsigned I = 0; I < R.Why.size(); ++I) {
    Finding F = R.Why[I];
    To.Refused.push_back({R.Algo, std::string(F.Id), std::string(F.Path),
                          std::string(F.Fact), std::string(F.Remedy)});
  }
}

/// Offers kinds that need no special instructions: Capabilities has no column
/// for CPUs.
void Context::State::walkCpu(const Question &Asked, CandidateList &To) const {
  for (Kind Of : {Kind::DIRECT, Kind::REFERENCE}) {
    Algorithm How;
    How.kind = Of;
    How.isa = Isa::VALU;
    How.block_size = CpuBlock;
    if (Of == Kind::DIRECT || Asked.AllowReference)
      offer(Asked, How, {}, To);
  }
}

/// Offers the algorithm of the caller only.
void Context::State::takeOnly(const Question &Asked, CandidateList &To) const {
  if (processor() != CpuProcessor)
    return offer(Asked, Asked.Only, Target(processorName()), To);
  Algorithm How = openForCpu(Asked.Only);
  bool IsOfElements = How.kind == Kind::DIRECT || How.kind == Kind::REFERENCE;
  if (IsOfElements && How.block_size == 0)
    How.block_size = CpuBlock;
  if (!IsOfElements && How.isa == Isa::VALU)
    How = resolve(Asked.Sig, How, LikeTheCpu, Asked.Sizes).Algo;
  offer(Asked, How, {}, To);
}

CandidateList Context::State::makeCandidates(const Question &Asked) const {
  CandidateList Made;
  if (Asked.Only != Algorithm()) {
    takeOnly(Asked, Made);
  } else if (processor() == CpuProcessor) {
    walkCpu(Asked, Made);
  } else {
    Constraints Within;
    Within.workspace_limit = Asked.WorkspaceLimit;
    Within.deterministic = Asked.Deterministic;
    Within.allow_reference = Asked.AllowReference;
    Made.All = candidates(Asked.Sig, Asked.Sizes, processorName(), Within,
                          &Made.Refused);
  }
  return Made;
}

std::shared_ptr<const CandidateList>
Context::State::candidatesOf(const Signature &Sig, const Problem &Sizes,
                             const PlanOptions &Want) {
  Question Asked{Sig,
                 Sizes,
                 Want.workspace_limit,
                 Want.deterministic,
                 Want.allow_reference,
                 Want.algorithm};
  {
    std::lock_guard<std::mutex> Held(Lock);
    for (auto At = Answers.begin(); At != Answers.end(); ++At)
      if (At->To == Asked) {
        Answers.splice(Answers.begin(), Answers, At);
        return At->List;
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
  explicit ProgramKernel(const AotRecord &Of) : Of(Of) {}

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

void Context::State::add(AotRecords Of) {
  std::lock_guard<std::mutex> Held(Lock);
  Programs.push_back(Of);
  ++Arrivals;
}

/// Returns null if no program has the kernel.
const AotRecord *Context::State::recordOf(const Signature &Sig,
                                          const Algorithm &How) {
  std::lock_guard<std::mutex> Held(Lock);
  if (Programs.empty())
    return nullptr;
  uint64_t Hash = kernelHashOf(Sig, How);
  std::string Text = noteTextOf(Sig, How, processorName());
  for (AotRecords Of : Programs)
    if (const AotRecord *Found = Of.find(Hash, processorName(), Text))
      return Found;
  return nullptr;
}

bool Context::State::isInArchive(const Signature &Sig,
                                 const Algorithm &How) const {
  return Archives && Archives->has(archiveKeyOf(Sig, How, Digest));
}

bool Context::State::isAot(const Signature &Sig, const Algorithm &How) {
  return isInArchive(Sig, How) || recordOf(Sig, How);
}

Result<ConvKernel> Context::State::codeOf(const Signature &Sig,
                                          const Algorithm &How,
                                          jit::Lookup Allowed) const {
  if (!isInArchive(Sig, How))
    return ConvKernel::compile(Sig, How, processor(), Options.jit, Allowed);
  auto Found = Archives->get(archiveKeyOf(Sig, How, Digest));
  if (!Found)
    return Found.status();
  return ConvKernel::of(Found->module(), Sig, How, processor());
}

Status Context::State::load(PlanKernel &To, const Signature &Sig,
                            const Algorithm &How, jit::Lookup Allowed) {
  if (const AotRecord *Own = recordOf(Sig, How)) {
    To.Loaded = std::make_unique<ProgramKernel>(*Own);
    return Status::success();
  }
  Result<ConvKernel> Code = codeOf(Sig, How, Allowed);
  if (!Code)
    return Code.status();
  To.Kernel.emplace(std::move(*Code));
  std::lock_guard<std::mutex> One(Loading);
  Result<std::unique_ptr<LoadedKernel>> Loaded = On->load(*To.Kernel);
  if (Loaded)
    To.Loaded = std::move(*Loaded);
  return Loaded.status();
}

Result<std::unique_ptr<PlanKernel>>
Context::State::kernelOf(const Signature &Sig, const Problem &Sizes,
                         const Algorithm &How, jit::Lookup Allowed) {
  Result<Lowered> L = lower(Sig, How, processorName());
  if (!L)
    return L.status();
  Result<KernelLaunch> Launch = launchOf(Sig, *L, Sizes, argsFor(Sig));
  if (!Launch)
    return Launch.status();
  auto Made = std::make_unique<PlanKernel>();
  Made->Launch = *Launch;
  if (Status S = load(*Made, Sig, How, Allowed); !S.ok())
    return S;
  ++Arrivals;
  return Made;
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
static Result<double> leastOf(const Plan &Of, const Measure &Take,
                              unsigned Samples) {
  double Least = 0;
  // The first call has additional costs.
  (void)Take(Of);
  for (unsigned I = 0; I < Samples; ++I) {
    double Now = Take(Of);
    if (!(std::isfinite(Now) && Now > 0))
      return Status(StatusCode::InvalidArgument,
                    "tune: what measures gives no time in microseconds");
    Least = I == 0 ? Now : std::min(Least, Now);
  }
  return Least;
}

Result<TuningRecord> Context::tune(Plan &Of, const Measure &Take,
                                   const Budget &May) const {
  using Clock = std::chrono::steady_clock;
  auto End = Clock::now() + std::chrono::duration<double>(May.seconds);
  std::optional<std::pair<double, size_t>> Best;
  unsigned Samples = std::max(1U, May.samples);
  Status Failure(StatusCode::InvalidArgument, "tune: no candidate is allowed");
  size_t Count = std::min<size_t>(Of.size(), May.candidates);
  for (size_t I = 0; I < Count && (I == 0 || Clock::now() < End); ++I) {
    Failure = Of.prepare(I);
    if (!Failure.ok())
      continue;
    Of.select(I);
    Result<double> Time = leastOf(Of, Take, Samples);
    if (!Time)
      return Time.status();
    if (!Best || *Time < Best->first)
      Best = {*Time, I};
  }
  if (!Best)
    return Failure;
  Of.select(Best->second);
  TuningRecord Record{std::string(Its->processorName()),
                      Of.signature(),
                      Of.problem(),
                      Of[Best->second].how,
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
  auto Made = std::make_shared<State>(std::move(On), std::move(Options));
  if (Status S = Made->open(); !S.ok())
    return S;
  return Context(std::move(Made));
}

const std::string &Context::processor() const { return Its->processor(); }

void Context::add(AotRecords Of) const { Its->add(Of); }
