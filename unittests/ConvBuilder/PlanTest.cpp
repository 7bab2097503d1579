//===- PlanTest.cpp - tests of plans --------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test has a cache of its own, since what is in it is what is tested. The
// kernels are those of the CPU; archives have code of an emulated GPU. That a
// call takes 100 ns is a benchmark's, that it allocates nothing is seen here.
//
//===----------------------------------------------------------------------===//
#include "ConvCase.h"

#include "ConvBuilder/Emit.h"
#include "ConvBuilder/SoftGpu/SoftGpuBackend.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "kpack/ConvBuilder/Context.h"
#include "kpack/ConvBuilder/LowerAlgorithm.h"
#include "kpack/ConvBuilder/kernels/view.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

using namespace kpack;
using namespace kpack::conv;

//===----------------------------------------------------------------------===//
// Allocations of a thread
//===----------------------------------------------------------------------===//

static thread_local size_t Allocations = 0;

// ThreadSanitizer has these functions itself, and takes no others.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KPACK_TEST_COUNTS_NOTHING
#endif
#endif

#ifndef KPACK_TEST_COUNTS_NOTHING
[[gnu::noinline]] void *operator new(size_t Bytes) {
  ++Allocations;
  void *Memory = std::malloc(Bytes ? Bytes : 1);
  if (!Memory)
    std::abort();
  return Memory;
}
[[gnu::noinline]] void operator delete(void *Memory) noexcept {
  std::free(Memory);
}
[[gnu::noinline]] void operator delete(void *Memory, size_t) noexcept {
  std::free(Memory);
}
#endif

namespace {

/// A device on which nothing can be run.
class NoBackend final : public Backend {
public:
  explicit NoBackend(std::string Name) : Name(std::move(Name)) {}
  const std::string &processor() const override { return Name; }
  Result<void *> allocate(size_t) override { return none(); }
  void release(void *) override {}
  Status upload(void *, const void *, size_t) override { return none(); }
  Status download(void *, const void *, size_t) override { return none(); }
  Result<std::unique_ptr<LoadedKernel>> load(const ConvKernel &) override {
    return none();
  }

private:
  static Status none() {
    return Status(StatusCode::IoError, "no device", Errc::NoDevice);
  }
  std::string Name;
};

/// A small convolution in 2D, in FP32.
ConvCase smallCase(unsigned Seed = 1) {
  ConvCase Case;
  Case.Sig.spatial_dim = 2;
  Case.Sig.data_type = DataType::FP32;
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  Case.P = {.c = 3, .k = 4, .image = {6, 5}, .filter = {2, 3}};
  EXPECT_TRUE(Case.fill(Seed));
  return Case;
}

class PlanTest : public testing::Test {
protected:
  PlanTest() {
    ::setenv("KPACK_JIT_COMPILER", CONV_TEST_COMPILER, 1);
    std::string Pattern = testing::TempDir() + "kpack-plan-XXXXXX";
    Folder = ::mkdtemp(Pattern.data());
  }
  ~PlanTest() override {
    std::error_code Ignored;
    std::filesystem::remove_all(Folder, Ignored);
  }

  /// A cache that no object of this process has looked into.
  jit::Cache cache() const {
    Result<jit::Cache> Opened =
        jit::Cache::open({.directory = Folder + "/cache",
                          .compile_helper = CONV_TEST_HELPER,
                          .on_event = [](const kpack_jit_event *, void *) {}});
    EXPECT_TRUE(Opened.ok()) << Opened.status().message();
    return *Opened;
  }
  Context context(const jit::Cache &Where, ContextOptions Options = {},
                  std::shared_ptr<Backend> On = makeCpuBackend()) const {
    Options.jit.cache = Where;
    // How fast kernels are is not what is tested, and compiles are most of it.
    Options.jit.flags.push_back("-O0");
    Result<Context> Created =
        Context::create(std::move(On), std::move(Options));
    EXPECT_TRUE(Created.ok()) << Created.status().message();
    return *Created;
  }
  static Plan buildPlan(const Context &In, const ConvCase &Case,
                        const PlanOptions &Options = {}) {
    Result<Plan> Created = In.plan(Case.Sig, Case.P, Options);
    EXPECT_TRUE(Created.ok()) << Created.status().message();
    return std::move(*Created);
  }
  /// What is wrong with the result; empty: nothing.
  static std::string runOnCpu(const Plan &P, const ConvCase &Case) {
    std::vector<TensorBytes> Memory = Case.Memory;
    Status Done = P.run(nullptr, Case.args(Memory));
    return Done.ok() ? Case.compare(Case.expected(), Memory[Case.result()])
                     : Done.message();
  }

  std::string Folder;
};

TEST_F(PlanTest, ListsAndRuns) {
  jit::Cache Where = cache();
  Context In = context(Where);
  ConvCase Case = smallCase();
  Plan P = buildPlan(In, Case, {.allow_reference = true});
  ASSERT_EQ(P.size(), 2U);
  EXPECT_EQ(P.text(0), "{kind=DIRECT,isa=VALU,block_size=64}");
  EXPECT_EQ(P[1].how.kind, Kind::REFERENCE);
  EXPECT_EQ(buildPlan(In, Case).size(), 1U) << "REFERENCE is asked for";
  EXPECT_EQ(P.state(0), KernelState::Cold);
  EXPECT_EQ(P.running(), std::nullopt);
  EXPECT_EQ(Where.stats().compiles, 0U);
  EXPECT_EQ(runOnCpu(P, Case), "");
  EXPECT_EQ(P.running(), 0U);
  EXPECT_EQ(P.state(0), KernelState::Cached);
  EXPECT_EQ(P.state(1), KernelState::Cold);
  EXPECT_EQ(Where.stats().compiles, 1U);
  EXPECT_EQ(nameOf(P.state(1)), "cold");

  // Another process.
  jit::Cache Later = cache();
  Plan Again = buildPlan(context(Later), Case);
  EXPECT_EQ(Again.state(0), KernelState::Cached);
  EXPECT_EQ(runOnCpu(Again, Case), "");
  EXPECT_EQ(Later.stats().compiles, 0U);

  // Calls of a kernel that is there.
  std::vector<TensorBytes> Memory = Case.Memory;
  Args With = Case.args(Memory);
  size_t Before = Allocations;
  for (int I = 0; I < 10; ++I)
    ASSERT_TRUE(Again.run(nullptr, With).ok());
  EXPECT_EQ(Allocations, Before);
  With.weight.data = nullptr;
  EXPECT_EQ(Again.run(nullptr, With).message(),
            "args.weight.data: is null; give the tensor's memory on the "
            "device");
}

TEST_F(PlanTest, CpuCompletesAnAlgorithm) {
  jit::Cache Where = cache();
  Context In = context(Where);
  ConvCase Case = smallCase();
  Plan Tiles =
      buildPlan(In, Case, {.algorithm = {.kind = Kind::IMPLICIT_GEMM}});
  ASSERT_EQ(Tiles.size(), 1U);
  EXPECT_TRUE(Tiles[0].how.tile.has());
  EXPECT_EQ(runOnCpu(Tiles, Case), "");
  Plan Elements = buildPlan(In, Case, {.algorithm = {.kind = Kind::DIRECT}});
  EXPECT_EQ(Elements.text(0), "{kind=DIRECT,isa=VALU,block_size=64}");
}

TEST_F(PlanTest, CpuHasNoArchives) {
  Result<Context> In = Context::create(makeCpuBackend(), {.archives = {"a"}});
  EXPECT_EQ(In.status().message(),
            "a: archives have kernels of GPUs, and the device is the CPU; "
            "leave archives out");
}

TEST_F(PlanTest, ForbiddenColdCompileIsAnError) {
  jit::Cache Where = cache();
  Context In = context(Where);
  ConvCase Case = smallCase();
  for (Cold Policy : {Cold::Fail, Cold::UseWarm}) {
    Plan P = buildPlan(In, Case, {.cold = Policy});
    std::vector<TensorBytes> Memory = Case.Memory;
    Status Done = P.run(nullptr, Case.args(Memory));
    EXPECT_EQ(Done.code(), StatusCode::KernelNotFound);
    EXPECT_EQ(Done.detail(), Errc::MissingKernel);
  }
  EXPECT_EQ(Where.stats().compiles, 0U);

  PlanOptions Warm{.allow_reference = true, .cold = Cold::UseWarm};
  Plan P = buildPlan(In, Case, Warm);
  ASSERT_TRUE(P.prepare(1).ok());
  EXPECT_EQ(P.running(), std::nullopt) << "another one is selected";
  EXPECT_EQ(runOnCpu(P, Case), "");
  EXPECT_EQ(P.running(), 1U);
  // Also one that another plan has compiled.
  Plan Other = buildPlan(In, smallCase(2), Warm);
  EXPECT_EQ(runOnCpu(Other, smallCase(2)), "");
  EXPECT_EQ(Other.running(), 1U);
  EXPECT_EQ(Where.stats().compiles, 1U);
}

/// Threads call while another one compiles what takes the place of what they
/// run: all results are right, whichever it was.
TEST_F(PlanTest, BackgroundKernelReplacesTheRunningOne) {
  jit::Cache Where = cache();
  Context In = context(Where);
  ConvCase Case = smallCase();
  std::vector<TensorBytes> Expected = Case.expected();
  Plan P =
      buildPlan(In, Case, {.allow_reference = true, .cold = Cold::Background});
  ASSERT_TRUE(P.prepare(1).ok());
  // The compiler needs a processor, too.
  constexpr std::chrono::milliseconds Pause(1);
  std::atomic<bool> IsSwapped{false};
  std::atomic<unsigned> Wrong{0}, WithReference{0};
  auto Calls = [&] {
    for (bool IsLast = false; !IsLast;) {
      IsLast = IsSwapped;
      std::vector<TensorBytes> Memory = Case.Memory;
      Status Done = P.run(nullptr, Case.args(Memory));
      Wrong +=
          !Done.ok() || !Case.compare(Expected, Memory[Case.result()]).empty();
      std::optional<size_t> Now = P.running();
      Wrong += !Now;
      WithReference += Now == 1U;
      std::this_thread::sleep_for(Pause);
    }
  };
  std::vector<std::thread> Threads;
  for (int I = 0; I < 3; ++I)
    Threads.emplace_back(Calls);
  while (P.running() != 0U)
    std::this_thread::sleep_for(Pause);
  IsSwapped = true;
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong, 0U);
  EXPECT_GT(WithReference, 0U);
  EXPECT_TRUE(P.wait().ok());
  EXPECT_EQ(Where.stats().compiles, 2U);
}

TEST_F(PlanTest, BackgroundWithNothingWarmIsAnError) {
  ConvCase Case = smallCase();
  Plan P = buildPlan(context(cache()), Case, {.cold = Cold::Background});
  std::vector<TensorBytes> Memory = Case.Memory;
  Status First = P.run(nullptr, Case.args(Memory));
  EXPECT_EQ(First.detail(), Errc::MissingKernel) << First.message();
  EXPECT_TRUE(P.wait().ok());
  EXPECT_EQ(P.running(), 0U);
  EXPECT_EQ(runOnCpu(P, Case), "");
}

/// What was compiled for a selection that is none any more is used until the
/// new one is there.
TEST_F(PlanTest, BackgroundUsesTheKernelOfAnEarlierSelection) {
  ConvCase Case = smallCase();
  Plan P = buildPlan(context(cache()), Case,
                     {.allow_reference = true, .cold = Cold::Background});
  std::vector<TensorBytes> Memory = Case.Memory;
  EXPECT_EQ(P.run(nullptr, Case.args(Memory)).detail(), Errc::MissingKernel);
  P.select(1);
  EXPECT_TRUE(P.wait().ok());
  EXPECT_EQ(runOnCpu(P, Case), "");
  EXPECT_EQ(P.running(), 0U);
  EXPECT_TRUE(P.wait().ok());
  EXPECT_EQ(P.running(), 1U);
}

/// Plans of one context, by one of which a kernel gets warm for the others.
TEST_F(PlanTest, AnotherPlanWarmsTheKernel) {
  Context In = context(cache());
  ConvCase Case = smallCase();
  PlanOptions Warm{.allow_reference = true, .cold = Cold::UseWarm};
  Plan P = buildPlan(In, Case, Warm), Other = buildPlan(In, Case, Warm);
  std::vector<TensorBytes> Memory = Case.Memory;
  EXPECT_EQ(P.run(nullptr, Case.args(Memory)).detail(), Errc::MissingKernel);
  ASSERT_TRUE(Other.prepare(1).ok());
  EXPECT_EQ(runOnCpu(P, Case), "");
  EXPECT_EQ(P.running(), 1U);
}

TEST_F(PlanTest, SelectsByText) {
  Context In = context(cache());
  ConvCase Case = smallCase();
  Plan P = buildPlan(In, Case, {.allow_reference = true});
  std::string Text = P.text(1);
  EXPECT_TRUE(P.select(Text).ok());
  EXPECT_EQ(P.selected(), 1U);
  EXPECT_EQ(P.size(), 2U);
  // One that is valid and none of them becomes one.
  EXPECT_TRUE(P.select("{kind=DIRECT,isa=VALU,block_size=128}").ok());
  EXPECT_EQ(P.size(), 3U);
  EXPECT_EQ(P.selected(), 2U);
  EXPECT_EQ(P.select("{kind=DIRCT}").code(), StatusCode::InvalidFormat);
  Status Stale =
      P.select("{kind=DIRECT,isa=VALU,block_size=64,tile={m=8,n=8,k=8}}");
  EXPECT_EQ(Stale.code(), StatusCode::InvalidArgument);
  EXPECT_NE(Stale.message().find("[A2] algorithm.tile"), std::string::npos)
      << Stale.message();
  EXPECT_EQ(P.selected(), 2U);
}

TEST_F(PlanTest, NoCandidateNamesTheClosest) {
  Context In = context(cache(), {}, std::make_shared<NoBackend>("gfx942"));
  ConvCase Case = smallCase();
  Case.P.filter = {9, 9};
  Result<Plan> None = In.plan(Case.Sig, Case.P);
  ASSERT_FALSE(None.ok());
  EXPECT_EQ(None.status().code(), StatusCode::InvalidArgument);
  EXPECT_NE(None.status().message().find("[P2] problem.filter"),
            std::string::npos)
      << None.status().message();

  Case = smallCase();
  Result<Plan> Only =
      In.plan(Case.Sig, Case.P, {.algorithm = {.isa = Isa::WMMA}});
  ASSERT_FALSE(Only.ok());
  EXPECT_NE(Only.status().message().find("[A3] algorithm.isa"),
            std::string::npos)
      << Only.status().message();
}

TEST_F(PlanTest, GpuPlansHaveOrderAndReasons) {
  Context In = context(cache(), {},
                       std::make_shared<NoBackend>("gfx90a:sramecc+:xnack-"));
  ConvCase Case = smallCase();
  Plan P = buildPlan(In, Case);
  ASSERT_GT(P.size(), 1U);
  EXPECT_GT(P.refusals().size(), 0U);
  for (size_t I = 0; I + 1 < P.size(); ++I)
    EXPECT_LE(P[I].estimate.total, P[I + 1].estimate.total);
  for (size_t I = 0; I < P.size(); I += 1 + P.size() / 20) {
    EXPECT_TRUE(P.select(P.text(I)).ok());
    EXPECT_EQ(P.selected(), I);
  }
  Plan Again = buildPlan(In, Case);
  EXPECT_EQ(&Again.refusals(), &P.refusals()) << "made once";

  ::setenv("KPACK_CONV_VERBOSE", "dispatch", 1);
  Context Loud = context(cache(), {}, std::make_shared<NoBackend>("gfx90a"));
  ::unsetenv("KPACK_CONV_VERBOSE");
  testing::internal::CaptureStderr();
  Plan Same = buildPlan(Loud, Case);
  std::string Said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(static_cast<size_t>(std::count(Said.begin(), Said.end(), '\n')),
            Same.refusals().size());
  EXPECT_NE(Said.find("kpack-conv: dispatch: IMPLICIT_GEMM/WMMA: [A3] "
                      "algorithm.isa: "),
            std::string::npos)
      << Said.substr(0, 400);
  Plan Pointed = buildPlan(In, Case, {.algorithm = P[1].how});
  ASSERT_EQ(Pointed.size(), 1U);
  EXPECT_EQ(Pointed.text(0), P.text(1));
}

TEST_F(PlanTest, TunesAndRemembers) {
  ConvCase Case = smallCase();
  ContextOptions Options{.tuning_file = Folder + "/conv-tune.txt"};
  jit::Cache Where = cache();
  {
    Context In = context(Where, Options);
    Plan P = buildPlan(In, Case, {.allow_reference = true});
    auto Take = [&](const Plan &Now) {
      EXPECT_EQ(runOnCpu(Now, Case), "");
      EXPECT_EQ(Now.running(), Now.selected());
      return Now.selected() == 1 ? 12.5 : 20.0;
    };
    Result<TuningRecord> Best = In.tune(P, Take, {.seconds = 60});
    ASSERT_TRUE(Best.ok()) << Best.status().message();
    EXPECT_EQ(Best->How.kind, Kind::REFERENCE);
    EXPECT_EQ(Best->Microseconds, 12.5);
    EXPECT_EQ(P.selected(), 1U);
    EXPECT_FALSE(In.tune(P, [](const Plan &) { return -1.0; }).ok());
  }
  Plan Later =
      buildPlan(context(Where, Options), Case, {.allow_reference = true});
  EXPECT_EQ(Later.selected(), 1U);
  EXPECT_EQ(Later.measured(1), 12.5);
  EXPECT_EQ(Later.measured(0), std::nullopt);
  EXPECT_EQ(buildPlan(context(Where, Options), Case).selected(), 0U)
      << "it is no candidate";

  // Of other kernels it is a hint.
  Result<TuningTable> Table = TuningTable::read(Options.tuning_file);
  ASSERT_TRUE(Table.ok()) << Table.status().message();
  std::string Text = Table->text();
  size_t Position = Text.find(tuningProducer());
  ASSERT_NE(Position, std::string::npos);
  Text.replace(Position, tuningProducer().size(), "kpack/0000000000000000");
  std::ofstream(Options.tuning_file) << Text;
  Plan Stale =
      buildPlan(context(Where, Options), Case, {.allow_reference = true});
  EXPECT_EQ(Stale.selected(), 1U);
  EXPECT_EQ(Stale.measured(1), std::nullopt);
}

/// A launch that says which arguments it got.
const void *&launchedResult() {
  static const void *Result = nullptr;
  return Result;
}
int launchOfProgram(int Step, const uint32_t *Grid, uint32_t Block, uint32_t,
                    void *Arguments, void *Stream) {
  if (Step != static_cast<int>(KernelStep::Main) || Grid[0] == 0 ||
      Block == 0 || Stream != nullptr)
    return 1;
  launchedResult() = static_cast<device::Arguments *>(Arguments)->Output.Data;
  return 0;
}

TEST_F(PlanTest, TakesKernelsOfTheProgram) {
  Context In = context(cache(), {}, std::make_shared<NoBackend>("gfx942"));
  ConvCase Case = smallCase();
  Plan Known = buildPlan(In, Case);
  size_t Last = Known.size() - 1;
  while (Known[Last].how.kind != Kind::DIRECT)
    --Last;
  std::string Text = makeNoteText(Case.Sig, Known[Last].how, "gfx942");
  AotRecord Mine{AotRecord::RecordVersion,
                 static_cast<uint32_t>(Text.size()),
                 kernelHashOf(Case.Sig, Known[Last].how),
                 Text.c_str(),
                 "gfx942",
                 launchOfProgram};
  const AotRecord *const All[] = {&Mine};
  EXPECT_EQ(Known.state(Last), KernelState::Cold);
  In.add(AotRecords(std::begin(All), std::end(All)));
  EXPECT_EQ(Known.state(Last), KernelState::Aot);
  Plan P = buildPlan(In, Case, {.cold = Cold::UseWarm});
  std::vector<TensorBytes> Memory = Case.Memory;
  Args With = Case.args(Memory);
  Status Done = P.run(nullptr, With);
  ASSERT_TRUE(Done.ok()) << Done.message();
  EXPECT_EQ(P.running(), Last);
  EXPECT_EQ(launchedResult(), With.output.data);
  EXPECT_EQ(P.run(&Done, With).detail(), Errc::LaunchFailed);
  // Of another processor it is another one.
  Context Other = context(cache(), {}, std::make_shared<NoBackend>("gfx90a"));
  Other.add(AotRecords(std::begin(All), std::end(All)));
  EXPECT_EQ(buildPlan(Other, Case, {.algorithm = Known[Last].how}).state(0),
            KernelState::Cold);
}

TEST_F(PlanTest, TakesKernelsOfArchives) {
  ConvCase Case = smallCase();
  Algorithm Algo;
  Plan Known = buildPlan(
      context(cache(), {}, std::make_shared<NoBackend>("gfx90a")), Case);
  for (size_t I = 0; I < Known.size(); ++I)
    if (Known[I].how.kind == Kind::DIRECT)
      Algo = Known[I].how;
  ASSERT_EQ(Algo.kind, Kind::DIRECT);
  jit::Options With{.cache = cache()};
  std::string Path = Folder + "/conv.kpack";
  {
    Result<ConvKernel> Kernel =
        ConvKernel::compile(Case.Sig, Algo, "gfx90a", With);
    ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
    auto Writer = ArchiveWriter::create(Path, {});
    ASSERT_TRUE(Writer.ok());
    std::string Key = getArchiveKey(Case.Sig, Algo, kernelsDigest());
    Key.replace(Key.find("@GFXARCH@"), 9, "gfx90a");
    ASSERT_TRUE((*Writer)->add(Key, "gfx90a", Kernel->image()).ok());
    ASSERT_TRUE((*Writer)->commit().ok());
  }
  Result<std::unique_ptr<Backend>> Gpu = makeSoftGpuBackend("gfx90a");
  ASSERT_TRUE(Gpu.ok()) << Gpu.status().message();
  std::shared_ptr<Backend> On = std::move(*Gpu);
  Result<jit::Cache> Empty =
      jit::Cache::open({.directory = Folder + "/empty",
                        .mode = jit::CacheMode::Strict,
                        .compile_helper = CONV_TEST_HELPER});
  ASSERT_TRUE(Empty.ok());
  Context In = context(*Empty, {.archives = {Path}}, On);
  // What an archive has is the best warm one, wherever it stands.
  Plan P = buildPlan(In, Case, {.cold = Cold::UseWarm});
  std::vector<void *> Pointers;
  for (const TensorBytes &Each : Case.Memory) {
    Pointers.push_back(*On->allocate(Each.size()));
    ASSERT_TRUE(On->upload(Pointers.back(), Each.data(), Each.size()).ok());
  }
  Status Done = P.run(nullptr, argsAt(Case.Sig, Case.Numbers, Pointers));
  ASSERT_TRUE(Done.ok()) << Done.message();
  TensorBytes Result(Case.Memory[Case.result()].size());
  ASSERT_TRUE(
      On->download(Result.data(), Pointers[Case.result()], Result.size()).ok());
  EXPECT_EQ(Case.compare(Case.expected(), Result), "");
  ASSERT_TRUE(P.running().has_value());
  EXPECT_EQ(P.state(*P.running()), KernelState::Aot);
  EXPECT_EQ(withoutHints(P[*P.running()].how), withoutHints(Algo));
}

} // namespace
