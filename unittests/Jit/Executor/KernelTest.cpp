//===- KernelTest.cpp - tests of GPU kernels on fake runtimes -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernel.test cannot show: how often and in which order the runtime is
// called, on several devices, and what it is given. Kernels are compiled.
//
//===----------------------------------------------------------------------===//
#include "ExecutorFixture.h"
#include "FakeGpus.h"

#include "kpack/Jit/Kernel.h"

#include <cstring>
#include <future>

using namespace kpack;
using namespace kpack::jit;
using namespace kpack::jit::executortest;
using testing::Test;

namespace {

class KernelTest : public ExecutorTest {
protected:
  KernelTest() { Gpus.reset(); }

  ex::Options forTarget(const char *Target = "") const {
    ex::Options Options = how();
    Options.target = Target;
    return Options;
  }
  FakeGpus &Gpus = FakeGpus::get();
};

const ex::Source Set{.text = R"(
__global__ void set(int *to, char a, double b, short c) {
  to[threadIdx.x] = a + b + c;
}
)",
                     .entry = "set"};
using SetSig = void(int *, char, double, short);

// A library's constructor, in which the dynamic linker is locked, may wait for
// another thread. Comes first: CUDA is initialized once in a process.
TEST_F(KernelTest, RuntimesAreFoundByThreadsAtOnce) {
  Gpus.CudaTargets = {"sm_90"};
  std::string Other;
  bool IsDone = false, IsFirst = false;
  std::future<bool> Thread;
  auto Ask = [](std::string &Answer) {
    char Target[32] = "";
    bool IsKnown = !kpack_jit_device_target(-1, Target, sizeof(Target));
    Answer = Target;
    return IsKnown;
  };
  Gpus.Callback = [&] {
    IsFirst = true;
    Thread = std::async(std::launch::async, [&] { return Ask(Other); });
    IsDone =
        Thread.wait_for(std::chrono::minutes(1)) == std::future_status::ready;
  };
  std::string Target;
  EXPECT_TRUE(Ask(Target));
  EXPECT_EQ(Target, "sm_90");
  if (!IsFirst)
    GTEST_SKIP() << "CUDA was found before";
  EXPECT_TRUE(IsDone);
  EXPECT_TRUE(Thread.get());
  EXPECT_EQ(Other, "sm_90");
}

TEST_F(KernelTest, IsLoadedOnceADevice) {
  Gpus.HipTargets = {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"};
  auto Compiled =
      ex::compile_kernel<SetSig>(Set, forTarget("gfx90a"), ex::Load::Lazy);
  const ex::Kernel<SetSig> &Kernel = good(Compiled);
  EXPECT_EQ(Gpus.count("load"), 0);
  EXPECT_EQ(Kernel.device(), std::nullopt);

  std::vector<std::thread> Threads;
  for (int I = 0; I < 8; ++I)
    Threads.emplace_back([&, I] {
      fakeCurrentDevice() = I % 2;
      for (int N = 0; N < 100; ++N)
        EXPECT_TRUE(Kernel({}, nullptr, 1, 2, 3).ok());
      EXPECT_EQ(fakeCurrentDevice(), I % 2);
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Gpus.count("load 0"), 1);
  EXPECT_EQ(Gpus.count("load 1"), 1);
  EXPECT_EQ(Gpus.count("launch"), 800);
}

TEST_F(KernelTest, IsBoundToADevice) {
  Gpus.HipTargets = {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-",
                     "gfx1030"};
  auto Compiled = ex::compile_kernel<SetSig>(Set, forTarget());
  const ex::Kernel<SetSig> &First = good(Compiled);
  auto Other = First.on(1);
  const ex::Kernel<SetSig> &Second = good(Other);
  EXPECT_EQ(First.device(), 0);
  EXPECT_EQ(Second.device(), 1);
  EXPECT_EQ(First.program(), Second.program());
  EXPECT_TRUE(Second({.grid = {2, 3}, .block = 64}, nullptr, 1, 2, 3).ok());
  EXPECT_EQ(fakeCurrentDevice(), 0);
  EXPECT_EQ(Gpus.Calls.back(), "launch _Z3setPicds 2x3x1 64x1x1 1");
  Status Refused = First.on(2).status();
  EXPECT_EQ(Refused.detail(), Errc::WrongIsa);
  EXPECT_EQ(Refused.message(),
            "source.hip: is compiled for gfx90a:sramecc+:xnack-, and device 2 "
            "is gfx1030; compile it for that target");
  EXPECT_EQ(First.on(3).status().detail(), Errc::NoDevice);
}

TEST_F(KernelTest, PacksArgumentsByMetadata) {
  Gpus.HipTargets = {"gfx90a:sramecc+:xnack-"};
  auto Compiled = ex::compile_kernel<SetSig>(Set, forTarget());
  int Target;
  ASSERT_TRUE(good(Compiled)({}, &Target, 5, 2.5, -3).ok());
  ASSERT_EQ(Gpus.Arguments.size(), 26u);
  int *Pointer;
  double B;
  short C;
  std::memcpy(&Pointer, Gpus.Arguments.data(), 8);
  std::memcpy(&B, Gpus.Arguments.data() + 16, 8);
  std::memcpy(&C, Gpus.Arguments.data() + 24, 2);
  EXPECT_EQ(Pointer, &Target);
  EXPECT_EQ(Gpus.Arguments[8], 5);
  EXPECT_EQ(B, 2.5);
  EXPECT_EQ(C, -3);
  kpack_jit_kernel_argument Argument{};
  Argument.size = sizeof(Argument);
  auto *Program = good(Compiled).program().native_handle();
  ASSERT_EQ(kpack_jit_kernel_get_argument(Program, 0, 3, &Argument),
            KPACK_JIT_SUCCESS);
  EXPECT_EQ(Argument.offset, 24u);
  EXPECT_EQ(Argument.bytes, 2u);
  EXPECT_EQ(Argument.is_pointer, 0);
  EXPECT_EQ(kpack_jit_kernel_get_argument(Program, 0, 4, &Argument),
            KPACK_JIT_ERROR_INVALID_ARGUMENT);
}

TEST_F(KernelTest, ReportsTheRuntimesError) {
  Gpus.HipTargets = {"gfx90a:sramecc+:xnack-"};
  Gpus.LoadError = 1;
  Status Refused = ex::compile_kernel<SetSig>(Set, forTarget()).status();
  EXPECT_EQ(Refused.detail(), Errc::LoadFailed);
  EXPECT_EQ(Refused.message(), "device 0: the code object is not loaded: "
                               "hipErrorOfTheTest");
  // It is tried again.
  Gpus.LoadError = 0;
  Gpus.LaunchError = 1;
  auto Compiled = ex::compile_kernel<SetSig>(Set, forTarget());
  Refused = good(Compiled)({}, nullptr, 1, 2, 3);
  EXPECT_EQ(Refused.detail(), Errc::LaunchFailed);
  EXPECT_EQ(Refused.message(), "set: device 0: the kernel is not launched: "
                               "hipErrorOfTheTest");
}

TEST_F(KernelTest, WaitsForWhatRunsBeforeItIsUnloaded) {
  Gpus.HipTargets = {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"};
  kpack_jit_cache_options Options{};
  Options.size = sizeof(Options);
  Options.directory = Directory.c_str();
  Options.compile_helper = JIT_TEST_HELPER;
  Options.on_event = [](const kpack_jit_event *, void *) {};
  kpack_jit_cache *Short = nullptr;
  ASSERT_EQ(kpack_jit_cache_open(&Options, &Short), KPACK_JIT_SUCCESS);
  ex::Options CompileOptions = forTarget();
  CompileOptions.cache = ex::Cache(Short);
  {
    auto Compiled = ex::compile_kernel<SetSig>(Set, CompileOptions);
    auto Other = good(Compiled).on(1);
    ASSERT_TRUE(good(Other)({}, nullptr, 1, 2, 3).ok());
    kpack_jit_cache_close(Short); // nobody else has it now
    EXPECT_EQ(Gpus.count("unload"), 0);
    Gpus.Calls.clear();
  }
  EXPECT_EQ(Gpus.Calls,
            (std::vector<std::string>{"synchronize 0", "unload 0",
                                      "synchronize 1", "unload 1"}));
  EXPECT_EQ(fakeCurrentDevice(), 0);
}

// Whoever has the last copy, and in whichever thread it goes: nothing is
// unloaded that is still launched.
TEST_F(KernelTest, IsUnloadedAfterTheLastLaunch) {
  Gpus.HipTargets = {"gfx90a:sramecc+:xnack-"};
  ex::Options CompileOptions = forTarget();
  CompileOptions.cache = nullptr;
  std::vector<std::thread> Threads;
  {
    auto Compiled = ex::compile_kernel<SetSig>(Set, CompileOptions);
    Gpus.Calls.clear();
    for (int I = 0; I < 8; ++I)
      Threads.emplace_back([Mine = good(Compiled), I] {
        for (int N = 0; N <= I * 20; ++N)
          EXPECT_TRUE(Mine({}, nullptr, 1, 2, 3).ok());
      });
  }
  for (std::thread &T : Threads)
    T.join();
  Threads.clear();
  EXPECT_EQ(Gpus.count("launch"), 8 + 20 * 28);
  ASSERT_GE(Gpus.Calls.size(), 2u);
  EXPECT_EQ(Gpus.Calls[Gpus.Calls.size() - 2], "synchronize 0");
  EXPECT_EQ(Gpus.Calls.back(), "unload 0");
  EXPECT_EQ(Gpus.count("unload"), 1);
}

TEST_F(KernelTest, IsFoundByNameAndType) {
  Gpus.HipTargets = {"gfx90a:sramecc+:xnack-"};
  auto Hidden = ex::compile_kernel<void(int *)>(
      {.text = "namespace { __global__ void k(int *x) { *x = 1; } }",
       .entry = "k"},
      forTarget());
  EXPECT_TRUE(good(Hidden)({}, nullptr).ok());
  const char *Two = "__global__ void k(int *x) { *x = 1; }\n"
                    "__global__ void k(float *x, int y) { *x = y; }\n";
  auto Second = ex::compile_kernel<void(float *, int)>(
      {.text = Two, .entry = "k"}, forTarget());
  EXPECT_STREQ(good(Second).info().symbol, "_Z1kPfi");
  for (const Status &Wrong :
       {ex::compile_kernel<void(double *)>({.text = Two, .entry = "k"},
                                           forTarget())
            .status(),
        ex::compile_kernel<void(int)>(
            {.text = "__global__ void k(int *x) {}", .entry = "k"}, forTarget())
            .status()})
    EXPECT_EQ(Wrong.detail(), Errc::SignatureMismatch) << Wrong.message();
  // The one the compiler refuses to name there, of the other there is no
  // kernel.
  for (auto [Text, Why] :
       {std::pair("void k(int *x) {}", Errc::CompileFailed),
        std::pair("__device__ void k(int *x) {}", Errc::UnknownEntry)}) {
    Status Wrong = ex::compile_kernel<void(int *)>({.text = Text, .entry = "k"},
                                                   forTarget())
                       .status();
    EXPECT_EQ(Wrong.detail(), Why) << Wrong.message();
  }
}

TEST_F(KernelTest, CompilesWithoutADevice) {
  auto Compiled = ex::compile_kernel<SetSig>(Set, forTarget("gfx90a"));
  Status Refused = good(Compiled)({}, nullptr, 1, 2, 3);
  EXPECT_EQ(Refused.detail(), Errc::NoDevice);
  EXPECT_NE(Refused.message().find("hipErrorNoDevice"), std::string::npos);
  EXPECT_EQ(ex::compile_kernel<SetSig>(Set, forTarget()).status().detail(),
            Errc::NoDevice);
  EXPECT_EQ(
      ex::compile_kernel<SetSig>(Set, forTarget("sm_9x")).status().detail(),
      Errc::WrongIsa);
}

TEST_F(KernelTest, IsRefusedInAForkedChild) {
  Gpus.HipTargets = {"gfx90a:sramecc+:xnack-"};
  auto Compiled = ex::compile_kernel<SetSig>(Set, forTarget());
  const ex::Kernel<SetSig> &Kernel = good(Compiled);
  Gpus.Calls.clear();
  std::string Said = inChild("KPACK_JIT_TEST", "1", [&] {
    std::string Why = Kernel.on(0).status().message();
    Compiled = Status(StatusCode::IoError, "");
    return Why + ", " + std::to_string(Gpus.Calls.size()) + " calls";
  });
  EXPECT_EQ(Said, "source.hip: a child of fork() has no devices; start another "
                  "program instead, 0 calls");
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

const ex::Source Axpy{.text = R"(
__global__ void axpy(kpack::jit::RestrictSpan<float> y,
                     kpack::jit::Span<const float> x, const float *by) {
  for (unsigned long i = threadIdx.x; i < y.size(); i += blockDim.x)
    y[i] += x[i] * *by;
}
)",
                      .entry = "axpy"};
using AxpySig = void(ex::RestrictSpan<float>, ex::Span<const float>,
                     const float *);

class KernelChecksTest : public KernelTest {
protected:
  explicit KernelChecksTest(const char *Target = "gfx90a:sramecc+:xnack-") {
    Gpus.HipTargets = {Target};
    // What a test calls memory of the GPU begins and ends in the middle.
    Gpus.Allocations[reinterpret_cast<uintptr_t>(Row + 4)] = 8 * sizeof(float);
  }
  ex::Kernel<AxpySig> axpy(ex::Checks Level, const char *Target = "") {
    ex::Options Options = forTarget(Target);
    Options.checks = Level;
    auto Compiled = ex::compile_kernel<AxpySig>(Axpy, Options);
    return good(Compiled);
  }
  static std::string why(const Status &Done) {
    EXPECT_EQ(Done.detail(), Done.ok() ? Errc::None : Errc::LaunchFailed);
    return Done.message();
  }
  alignas(16) float Row[16] = {};
  float *const Mine = Row + 4; ///< eight of them
  ex::Span<const float> None;
};

TEST_F(KernelChecksTest, SpansArePassedAsTheyAre) {
  ex::Kernel<AxpySig> Kernel = axpy(ex::Checks::Cheap);
  std::vector<float> Four(4);
  ASSERT_TRUE(Kernel({}, Four, std::span<float>(Row), Mine).ok());
  ASSERT_EQ(Gpus.Arguments.size(), 40u);
  struct {
    const float *Y;
    uint64_t Ys;
    const float *X;
    uint64_t Xs;
    const float *By;
  } Sent;
  std::memcpy(&Sent, Gpus.Arguments.data(), sizeof(Sent));
  EXPECT_EQ(Sent.Y, Four.data());
  EXPECT_EQ(Sent.Ys, 4u);
  EXPECT_EQ(Sent.X, Row);
  EXPECT_EQ(Sent.Xs, 16u);
  EXPECT_EQ(Sent.By, Mine);
  EXPECT_EQ(Gpus.count("attributes"), 0);
}

TEST_F(KernelChecksTest, CheapChecksMakeNoRuntimeCalls) {
  ex::Kernel<AxpySig> Kernel = axpy(ex::Checks::Cheap);
  char *Odd = reinterpret_cast<char *>(Mine) + 2;
  EXPECT_EQ(why(Kernel({}, {}, None, reinterpret_cast<float *>(Odd))),
            "axpy: argument 2 is not at a multiple of 4 bytes, as its type is; "
            "give it an address that is");
  EXPECT_EQ(why(Kernel({}, {reinterpret_cast<float *>(Odd), 1}, None, Mine))
                .substr(0, 35),
            "axpy: argument 0 is not at a multip");
  EXPECT_EQ(why(Kernel({}, {nullptr, 1}, None, Mine)),
            "axpy: argument 0 is a null pointer, and not empty");
  EXPECT_TRUE(Kernel({}, {}, None, nullptr).ok());
  EXPECT_EQ(why(Kernel({.refuse_null = true}, {}, None, nullptr)),
            "axpy: argument 2 is a null pointer");
  float Host = 1;
  EXPECT_TRUE(Kernel({}, {&Host, 1}, None, &Host).ok());
  EXPECT_EQ(Gpus.count("attributes"), 0);
  // With none of them the runtime has the word.
  EXPECT_TRUE(
      Kernel
          .with(ex::Checks::None)({.grid = {0, 1}}, {nullptr, 1}, None, nullptr)
          .ok());
  EXPECT_FALSE(Kernel({.grid = {0, 1}}, {}, None, nullptr).ok());
}

TEST_F(KernelChecksTest, FullChecksClassifyMemory) {
  ex::Kernel<AxpySig> Kernel = axpy(ex::Checks::Full);
  float Host = 1;
  EXPECT_TRUE(Kernel({}, {Mine, 8}, None, Mine).ok());
  EXPECT_EQ(why(Kernel({}, {Mine, 8}, None, &Host)),
            "axpy: argument 2 is memory that device 0 cannot reach; allocate "
            "it with the GPU's runtime, or register it there");
  EXPECT_EQ(why(Kernel({}, {&Host, 1}, None, Mine)).substr(0, 29),
            "axpy: argument 0 is memory th");
  EXPECT_EQ(Gpus.LastError, 0); // the program's own is none of it
  EXPECT_EQ(why(Kernel({}, {Mine + 2, 7}, None, Mine)),
            "axpy: argument 0 has 28 bytes, and its allocation ends after 24; "
            "give it no more than there is");
  EXPECT_TRUE(Kernel({}, {Mine + 2, 6}, None, Mine).ok());
  // What is empty, and null where it may be, is asked of nobody.
  EXPECT_TRUE(Kernel({}, {Row, 0}, None, nullptr).ok());
  EXPECT_EQ(Gpus.count("launch"), 3);
}

TEST_F(KernelChecksTest, FullOnesSeeOverlaps) {
  ex::Kernel<AxpySig> Kernel = axpy(ex::Checks::Full);
  EXPECT_EQ(why(Kernel({}, {Mine, 4}, {Mine + 3, 2}, Mine + 7)),
            "axpy: argument 1 overlaps with argument 0, one of them is written "
            "to, and one is a RestrictSpan, which shares nothing; give them "
            "memory of their own");
  EXPECT_TRUE(Kernel({}, {Mine, 4}, {Mine + 4, 4}, Mine).ok());
  EXPECT_TRUE(Kernel({}, {Mine, 0}, {Mine, 4}, Mine).ok());
  // What nobody writes to may be shared, and so may what promises nothing.
  auto Reads = ex::compile_kernel<void(ex::RestrictSpan<const float>,
                                       ex::RestrictSpan<const float>)>(
      {.text = "using namespace kpack::jit;\n"
               "__global__ void f(RestrictSpan<const float>,"
               "                  RestrictSpan<const float>) {}",
       .entry = "f"},
      forTarget());
  std::span<const float> All(Mine, 8);
  EXPECT_TRUE(good(Reads).with(ex::Checks::Full)({}, All, All).ok());
  auto Writes = ex::compile_kernel<void(ex::Span<float>, ex::Span<float>)>(
      {.text = "using kpack::jit::Span;\n"
               "__global__ void f(Span<float>, Span<float>) {}",
       .entry = "f"},
      forTarget());
  EXPECT_TRUE(
      good(Writes).with(ex::Checks::Full)({}, {Mine, 8}, {Mine, 8}).ok());
}

TEST_F(KernelChecksTest, HostMemoryIsValidWithXnack) {
  Gpus.HipTargets = {"gfx90a:sramecc+:xnack+"};
  // Its name was asked for by an earlier test: another device has none yet.
  Gpus.HipTargets.insert(Gpus.HipTargets.begin(), 40, "gfx90a");
  fakeCurrentDevice() = 40;
  ex::Kernel<AxpySig> Kernel = axpy(ex::Checks::Full);
  fakeCurrentDevice() = 0;
  float Host = 1;
  EXPECT_TRUE(Kernel({}, {&Host, 1}, None, &Host).ok());
}

TEST_F(KernelChecksTest, FullChecksWorkWithCuda) {
  Gpus.HipTargets = {};
  Gpus.CudaTargets = {"sm_90"};
  ex::Kernel<AxpySig> Kernel = axpy(ex::Checks::Full);
  float Host = 1;
  EXPECT_TRUE(Kernel({}, {Mine, 8}, None, Mine).ok());
  EXPECT_EQ(why(Kernel({}, {&Host, 1}, None, Mine)).substr(0, 29),
            "axpy: argument 0 is memory th");
  EXPECT_EQ(why(Kernel({}, {Mine, 9}, None, Mine)).substr(0, 29),
            "axpy: argument 0 has 36 bytes");
}

TEST_F(KernelChecksTest, CheapChecksWorkThroughTheCApi) {
  ex::Kernel<AxpySig> Kernel = axpy(ex::Checks::Cheap);
  const kpack_jit_kernel *Loaded;
  ASSERT_EQ(
      kpack_jit_kernel_load(Kernel.program().native_handle(), 0, -1, &Loaded),
      KPACK_JIT_SUCCESS);
  float *Null = nullptr;
  ex::Span<float> Empty;
  void *Values[] = {&Empty, &Empty, &Null};
  kpack_jit_launch Launch{};
  Launch.size = sizeof(Launch);
  Launch.grid[0] = Launch.grid[1] = Launch.grid[2] = 1;
  std::copy(Launch.grid, Launch.grid + 3, Launch.block);
  EXPECT_EQ(kpack_jit_kernel_launch(Loaded, &Launch, Values, 3),
            KPACK_JIT_SUCCESS);
  Launch.memory_count = 1;
  EXPECT_EQ(kpack_jit_kernel_launch(Loaded, &Launch, Values, 3),
            KPACK_JIT_ERROR_INVALID_ARGUMENT);
  kpack_jit_memory Memory{7, nullptr, 1, 0, 0};
  Launch.memory = &Memory;
  EXPECT_EQ(kpack_jit_kernel_launch(Loaded, &Launch, Values, 3),
            KPACK_JIT_ERROR_INVALID_ARGUMENT);
  Launch.memory_count = 0;
  for (int Level : {3, -1}) {
    Launch.checks = Level;
    EXPECT_EQ(kpack_jit_kernel_launch(Loaded, &Launch, Values, 3),
              KPACK_JIT_ERROR_INVALID_ARGUMENT);
  }
  Launch.checks = KPACK_JIT_CHECK_NONE;
  EXPECT_EQ(kpack_jit_kernel_launch(Loaded, &Launch, Values, 2),
            KPACK_JIT_ERROR_INVALID_ARGUMENT);
  // An earlier version's structure ends before its checks.
  Launch.checks = 77;
  Launch.size = offsetof(kpack_jit_launch, checks);
  EXPECT_EQ(kpack_jit_kernel_launch(Loaded, &Launch, Values, 3),
            KPACK_JIT_SUCCESS);
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

const ex::Source Add2{.text = R"(
template <class T> __global__ void __launch_bounds__(128) add(T to, int by) {
  extern __shared__ int all[];
  all[threadIdx.x] = blockIdx.y * gridDim.x + blockDim.z;
  __syncthreads();
  to[threadIdx.x] += by + all[0];
}
)",
                      .entry = "add<int *>"};

TEST_F(KernelTest, IsPtxForGpusOfNvidia) {
  Gpus.CudaTargets = {"sm_90", "sm_80"};
  auto Compiled = ex::compile_kernel<void(int *, int)>(Add2, forTarget());
  const ex::Kernel<void(int *, int)> &Kernel = good(Compiled);
  std::string Image(Kernel.program().image());
  EXPECT_EQ(Gpus.Image, Image);
  EXPECT_NE(Image.find(".target sm_90"), std::string::npos);
  EXPECT_NE(Image.find(".version 7.8"), std::string::npos);
  EXPECT_NE(Image.find(".entry _Z3addIPiEvT_i("), std::string::npos);
  EXPECT_EQ(Image.find("kpack_jit"), std::string::npos);
  EXPECT_STREQ(Kernel.program().type(0), "void (int *, int)");
  EXPECT_EQ(Kernel.info().argument_count, 2u);
  EXPECT_EQ(Kernel.info().argument_bytes, 12u);
  EXPECT_EQ(Kernel.info().max_block, 128u);

  int Pretended;
  ASSERT_TRUE(Kernel({.grid = 3, .block = {64, 2}}, &Pretended, 77).ok());
  EXPECT_EQ(Gpus.Calls.back(), "cuda launch _Z3addIPiEvT_i 3x1x1 64x2x1 0");
  EXPECT_EQ(Gpus.Longs[1], 77);
  EXPECT_EQ(Kernel({.block = 129}, &Pretended, 1).detail(), Errc::LaunchFailed);
  Gpus.LaunchError = 1;
  EXPECT_EQ(Kernel({}, &Pretended, 1).message(),
            "add<int *>: device 0: the kernel is not launched: "
            "CUDA_ERROR_OF_THE_TEST");
  EXPECT_EQ(Kernel.on(1).status().detail(), Errc::WrongIsa);
  EXPECT_EQ(Kernel.on(2).status().detail(), Errc::NoDevice);
  EXPECT_EQ(Gpus.count("load"), 0); // none of HIP
  Gpus.LaunchError = 0;

  // What is compiled somewhere else.
  auto Loaded = ex::load_program(Image, "add.ptx");
  auto Same = ex::kernel<void(int *, int)>(good(Loaded), "_Z3addIPiEvT_i");
  EXPECT_TRUE(good(Same)({}, &Pretended, 1).ok());
  EXPECT_EQ(ex::kernel<void(int *, long)>(good(Loaded), "_Z3addIPiEvT_i")
                .status()
                .detail(),
            Errc::SignatureMismatch);
  EXPECT_EQ(ex::load_program("nothing", "add.ptx").status().message(),
            "add.ptx: PTX: it names no target; compile it again");
}

/// A kernel of what stands in the brackets of "x = ...;".
static ex::Source ofFloat(const std::string &Value, const char *Before = "") {
  return {.text = std::string(Before) +
                  "\n__global__ void k(float *p) { float x = *p;"
                  "  double d = x; (void)d; *p = " +
                  Value + "; }",
          .entry = "k"};
}

// What they compute: kernel.test, and ptx.test on a GPU.
TEST_F(KernelTest, MathFunctionsAreLinked) {
  for (const char *Target : {"sm_90", "gfx90a"}) {
    // All of them in one, in each of their names.
    std::string All;
    for (const char *Name :
         {"exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "tanh",
          "rsqrt", "sqrt", "fabs", "floor", "ceil", "trunc", "rint", "round"})
      All += std::string(Name) + "f(x) + " + Name + "(x) + ";
    for (const char *Name :
         {"__expf", "__logf", "__log2f", "__log10f", "__sinf", "__cosf",
          "__builtin_expf", "__builtin_logf", "__builtin_sinf"})
      All += std::string(Name) + "(x) + ";
    All += "fminf(x, 1) + fmaxf(x, 1) + copysignf(x, 1) + fmaf(x, x, 1) +"
           "__powf(x, 2) + __fdividef(1, x) + sqrt(d) + fma(d, d, d) +"
           "fmin(d, 2) + floor(d)";
    auto Compiled = ex::compile_kernel<void(float *)>(
        ofFloat(All), forTarget(Target), ex::Load::Lazy);
    std::string Image(good(Compiled).program().image());
    EXPECT_EQ(Image.find(".extern .func"), std::string::npos) << Target;
    // A text's own are preferred, also where it has that name for another use.
    for (const char *Own :
         {"__device__ float expf(float x) { return x; }",
          "namespace { __device__ inline float powf(float x, int) {"
          " return x; } }\n#define expf(x) powf(x, 2)",
          "struct { float expf; __device__ float log(float x) { return x; } }"
          " inline constexpr some = {}; \n#define expf(x) some.expf"}) {
      auto Mine = ex::compile_kernel<void(float *)>(
          ofFloat("expf(x)", Own), forTarget(Target), ex::Load::Lazy);
      EXPECT_TRUE(Mine.ok()) << Mine.status().message();
    }
    // The rest is refused where it is called.
    for (const char *Call : {"powf(x, 2)", "erff(x)", "exp(d)"}) {
      Status Wrong = ex::compile_kernel<void(float *)>(
                         ofFloat(Call), forTarget(Target), ex::Load::Lazy)
                         .status();
      EXPECT_EQ(Wrong.detail(), Errc::CompileFailed) << Call;
      EXPECT_NE(Wrong.message().find("in a device library, which a text "
                                     "without HIP's header has not"),
                std::string::npos)
          << Wrong.message();
    }
  }
  // Of what only a library has, PTX has a call that leads nowhere.
  Status Wrong =
      ex::compile_kernel<void(float *)>(ofFloat("__builtin_erff(x)"),
                                        forTarget("sm_90"), ex::Load::Lazy)
          .status();
  EXPECT_EQ(Wrong.detail(), Errc::LoadFailed);
  EXPECT_EQ(Wrong.message(), "source.hip: it calls 'erff', which no "
                             "library here has; define it in the text");
}

TEST_F(KernelTest, PtxIsCached) {
  auto Compiled =
      ex::compile_kernel<void(int *, int)>(Add2, forTarget("sm_90"));
  EXPECT_EQ(good(Compiled)({}, nullptr, 1).detail(), Errc::NoDevice);
  std::string First(good(Compiled).program().image());
  uint64_t Before = compiles();
  kpack_jit_cache_options Options{};
  Options.size = sizeof(Options);
  Options.directory = Directory.c_str();
  Options.mode = KPACK_JIT_STRICT;
  kpack_jit_cache *Strict = nullptr;
  ASSERT_EQ(kpack_jit_cache_open(&Options, &Strict), KPACK_JIT_SUCCESS);
  {
    ex::Options CompileOptions = forTarget("sm_90");
    CompileOptions.cache = ex::Cache(Strict);
    auto Again = ex::compile_kernel<void(int *, int)>(Add2, CompileOptions);
    EXPECT_EQ(good(Again).program().image(), First);
  }
  kpack_jit_cache_close(Strict);
  EXPECT_EQ(Before, compiles());
  Status Wrong =
      ex::compile_kernel<void(int *, long)>(Add2, forTarget("sm_90")).status();
  EXPECT_EQ(Wrong.detail(), Errc::SignatureMismatch) << Wrong.message();
}

/// An image that is not what it was is refused, or has kernels still; nothing
/// of it is read that is not there.
TEST_F(KernelTest, DamagedImagesDoNoHarm) {
  for (const char *Target : {"gfx90a", "sm_90"}) {
    auto Compiled = ex::compile_kernel<SetSig>(Set, forTarget(Target));
    std::string Image(good(Compiled).program().image());
    EXPECT_TRUE(ex::load_program(Image).ok());
    std::size_t Refused = 0;
    for (std::size_t I = 0; I < Image.size(); ++I) {
      std::string Short(Image.data(), I), Other = Image;
      Other[I] = char(Other[I] ^ 0x55);
      (void)ex::load_program(Short);
      auto Changed = ex::load_program(Other);
      if (!Changed)
        ++Refused;
      else if (Changed->size() != 0)
        (void)ex::kernel<SetSig>(*Changed, "_Z3setPicds", ex::Load::Lazy);
    }
    EXPECT_GT(Refused, 20u) << Target;
  }
}

//===----------------------------------------------------------------------===//
// Many
//===----------------------------------------------------------------------===//

TEST_F(KernelTest, ThousandsOfFilesAreLoadedAtOnce) {
  auto Compiled = ex::compile<int(int)>(
      {.text = "int twice(int x) { return 2 * x; }", .entry = "twice"}, how());
  ASSERT_EQ(good(Compiled)(4), 8);
  // The same code under other keys: each is a file, and mapped as one.
  std::string Bytes, Key = good(Compiled).program().info().key;
  for (const auto &File :
       std::filesystem::recursive_directory_iterator(Directory))
    if (File.path().filename().string().find(Key) != std::string::npos) {
      std::ifstream In(File.path(), std::ios::binary);
      Bytes.assign(std::istreambuf_iterator<char>(In), {});
    }
  ASSERT_FALSE(Bytes.empty());
  std::vector<kpack_jit_entry *> Entries;
  std::vector<void *> Addresses;
  for (int I = 0; I < 2000; ++I) {
    kpack_jit_key *Key;
    ASSERT_EQ(kpack_jit_key_create("many 1", &Key), KPACK_JIT_SUCCESS);
    (void)kpack_jit_key_add(Key, "number", &I, sizeof(I));
    kpack_jit_request Request{};
    Request.size = sizeof(Request);
    Request.key = Key;
    Request.name = "twice";
    kpack_jit_entry *Entry = nullptr;
    ASSERT_EQ(kpack_jit_get(
                  Opened, &Request,
                  [](kpack_jit_product *Product, void *Context) {
                    auto *Code = static_cast<std::string *>(Context);
                    kpack_jit_product_set(Product, Code->data(), Code->size(),
                                          "");
                    return 0;
                  },
                  &Bytes, 0, &Entry),
              KPACK_JIT_SUCCESS)
        << kpack_jit_last_error();
    void *Table = nullptr;
    ASSERT_EQ(kpack_jit_entry_symbol(Entry, "kpack_jit_entries", &Table),
              KPACK_JIT_SUCCESS)
        << I << ": " << kpack_jit_last_error();
    void *Function = *static_cast<void **>(Table);
    ASSERT_EQ(reinterpret_cast<int (*)(int)>(Function)(I), 2 * I);
    Addresses.push_back(Function);
    Entries.push_back(Entry);
    kpack_jit_key_destroy(Key);
  }
  std::sort(Addresses.begin(), Addresses.end());
  EXPECT_EQ(std::unique(Addresses.begin(), Addresses.end()), Addresses.end());
  for (kpack_jit_entry *Entry : Entries)
    kpack_jit_entry_destroy(Entry);
}

TEST_F(KernelTest, ThousandsOfKernelsAreLoadedAtOnce) {
  Gpus.HipTargets = {"gfx90a:sramecc+:xnack-"};
  // Each of its program: a cache of its own for each.
  std::vector<ex::Kernel<SetSig>> All;
  std::vector<kpack_jit_cache *> Caches;
  for (int I = 0; I < 2000; ++I) {
    kpack_jit_cache_options Options{};
    Options.size = sizeof(Options);
    Options.directory = Directory.c_str();
    Options.compile_helper = JIT_TEST_HELPER;
    Options.on_event = [](const kpack_jit_event *, void *) {};
    kpack_jit_cache *One = nullptr;
    ASSERT_EQ(kpack_jit_cache_open(&Options, &One), KPACK_JIT_SUCCESS);
    Caches.push_back(One);
    ex::Options CompileOptions = forTarget();
    CompileOptions.cache = ex::Cache(One);
    auto Compiled = ex::compile_kernel<SetSig>(Set, CompileOptions);
    All.push_back(good(Compiled));
    ASSERT_TRUE(All.back()({}, nullptr, 1, 2, 3).ok());
  }
  EXPECT_EQ(Gpus.count("load 0"), 2000);
  for (kpack_jit_cache *One : Caches)
    kpack_jit_cache_close(One);
  EXPECT_EQ(Gpus.count("unload"), 0);
  All.clear();
  EXPECT_EQ(Gpus.count("unload 0"), 2000);
}

} // namespace
