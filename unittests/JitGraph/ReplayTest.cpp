//===- ReplayTest.cpp - tests of repeated execution of a plan -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What replays promise beyond results: no allocation, one thread at a time,
// kernels that write outside of their buffers are seen, and plans that make no
// sense are refused before anything runs.
//
//===----------------------------------------------------------------------===//
#include "TestPlan.h"

#include "JitGraph/Replay/CompiledPlan.h"
#include "kpack/JitGraph/Ops.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

using namespace kpack;
using namespace kpack::jit;

//===----------------------------------------------------------------------===//
// Allocations of this thread
//===----------------------------------------------------------------------===//

// ThreadSanitizer has its own operators, and no other program can.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KPACK_TEST_COUNTS_NOTHING
#endif
#endif

#ifndef KPACK_TEST_COUNTS_NOTHING
static thread_local size_t Allocations = 0;

static void *allocate(size_t Size, size_t Alignment = 0) {
  ++Allocations;
  size_t Rounded =
      Alignment ? (Size + Alignment - 1) / Alignment * Alignment : Size + !Size;
  void *Bytes =
      Alignment ? std::aligned_alloc(Alignment, Rounded) : std::malloc(Rounded);
  if (!Bytes)
    std::abort();
  return Bytes;
}

void *operator new(size_t Size) { return allocate(Size); }
void *operator new(size_t Size, std::align_val_t Alignment) {
  return allocate(Size, static_cast<size_t>(Alignment));
}
void *operator new(size_t Size, std::align_val_t Alignment,
                   const std::nothrow_t &) noexcept {
  // More than any machine has: what the test of OutOfMemory asks for.
  return Size > size_t(1) << 50
             ? nullptr
             : allocate(Size, static_cast<size_t>(Alignment));
}
void operator delete(void *Bytes) noexcept { std::free(Bytes); }
void operator delete(void *Bytes, size_t) noexcept { std::free(Bytes); }
void operator delete(void *Bytes, std::align_val_t) noexcept {
  std::free(Bytes);
}
void operator delete(void *Bytes, size_t, std::align_val_t) noexcept {
  std::free(Bytes);
}
#endif

namespace {

GraphErrc getCode(const Status &S) { return graphErrorOf(S); }

#ifndef KPACK_TEST_COUNTS_NOTHING
TEST(ReplayTest, CallsAllocateNothing) {
  Result<Prepared<Affine>> G = prepareAffine();
  ASSERT_TRUE(G.ok()) << G.status().message();
  std::vector<float> Mine(3200);
  size_t Before = Allocations;
  bool IsRight = true;
  for (int64_t T = 1; T <= 100; ++T) {
    IsRight &= G->execute().ok();
    IsRight &= G->execute({.b = 8 - T % 8, .t = T}).ok();
    IsRight &= G->execute({.x = Mine}).ok();
    IsRight &= G->execute({.x = G->io().x}).ok();
    IsRight &= G->execute_async({}, {.t = T})->wait().ok();
  }
  EXPECT_EQ(Allocations, Before);
  EXPECT_TRUE(IsRight);
  // The counter counts.
  EXPECT_TRUE(G->execute_profiled().ok());
  EXPECT_NE(Allocations, Before);
}
#endif

// A CPU takes no thread that is not the caller's.
TEST(ReplayTest, CpuCallsHaveRunOnReturn) {
  Result<Prepared<Affine>> G = prepareAffine();
  ASSERT_TRUE(G.ok()) << G.status().message();
  std::fill(G->io().x.begin(), G->io().x.end(), 1.0f);
  Result<Event> E = G->execute_async({}, {.b = 1, .t = 2});
  ASSERT_TRUE(E.ok()) << E.status().message();
  std::fill(G->io().x.begin(), G->io().x.end(), 2.0f);
  EXPECT_TRUE(E->done());
  EXPECT_TRUE(E->inputs_consumed());
  EXPECT_TRUE(E->wait().ok());
  EXPECT_TRUE(E->wait_for_inputs().ok());
  EXPECT_EQ(G->io().y.extents()[1], 2);
  float Begun = G->io().y(0, 1, 0);
  EXPECT_TRUE(G->execute().ok());
  EXPECT_NE(G->io().y(0, 1, 0), Begun);

  int Any;
  E = G->execute_async(Stream{&Any});
  EXPECT_EQ(getCode(E.status()), GraphErrc::Device);
  EXPECT_EQ(getCode(G->execute_async({}, {.t = 101}).status()),
            GraphErrc::VarOutOfRange);
}

/// y = x, once the test says so.
Result<GraphPlan> lowerGate(OpGraph Ops) {
  std::vector<Dim> Shape = Ops.inputs()[0].Shape;
  PlanWriter W(std::move(Ops));
  uint32_t X = W.input(0), Y = W.output(0, Shape);
  // x[0] and x[1] are the bits of an address, of two ints: "I am here", "go".
  uint32_t Wait = W.kernel(
      "wait", "  int *gate;\n"
              "  __builtin_memcpy(&gate, buffers[1], sizeof(gate));\n"
              "  if (!gate) return;\n"
              "  __atomic_store_n(&gate[0], 1, __ATOMIC_SEQ_CST);\n"
              "  while (!__atomic_load_n(&gate[1], __ATOMIC_SEQ_CST)) {}\n"
              "  *(float *)buffers[0] = 5;\n");
  W.node(Wait, {Y, X}, {}, W.Plan.Ops.dims().constant(1));
  return W.finish();
}

TEST(ReplayTest, SecondThreadIsRefused) {
  PrepareConfig How = testConfig();
  How.lower = lowerGate;
  Result<Prepared<Affine>> G = prepareAffine(How);
  ASSERT_TRUE(G.ok()) << G.status().message();
  std::atomic<int> Gate[2] = {};
  void *Address = Gate;
  std::memcpy(G->io().x.data(), &Address, sizeof(Address));
  Status First;
  std::thread Runs([&] { First = G->execute({.b = 1}); });
  while (!Gate[0])
    std::this_thread::yield();
  // Each of these would change what the first one uses.
  EXPECT_EQ(getCode(G->execute()), GraphErrc::Busy);
  EXPECT_EQ(getCode(G->execute({.b = 2})), GraphErrc::Busy);
  EXPECT_EQ(getCode(G->execute_profiled().status()), GraphErrc::Busy);
  EXPECT_EQ(getCode(G->execute_async().status()), GraphErrc::Busy);
  EXPECT_EQ(getCode(G->rebind_constant("bias", std::vector<float>(4))),
            GraphErrc::Busy);
  Gate[1] = 1;
  Runs.join();
  EXPECT_TRUE(First.ok());
  EXPECT_EQ(G->io().y(0, 0, 0), 5.0f);
  EXPECT_EQ(G->io().b.value(), 1);
  EXPECT_TRUE(G->execute({.b = 2}).ok());
}

/// Writes \p Value at element \p At of its output, whatever is there.
std::function<Result<GraphPlan>(OpGraph)> lowerWrite(int64_t At) {
  return [At](OpGraph Ops) {
    std::vector<Dim> Shape = Ops.inputs()[0].Shape;
    PlanWriter W(std::move(Ops));
    uint32_t X = W.input(0), Y = W.output(0, Shape);
    uint32_t Write = W.kernel("write", "  ((float *)buffers[0])[" +
                                           std::to_string(At) + "] = 1;\n");
    W.node(Write, {Y, X}, {}, Shape[0]);
    return W.finish();
  };
}

TEST(ReplayTest, WritesOutsideBuffersAreDetected) {
  PrepareConfig How = testConfig();
  for (int64_t Good : {0, 3199}) {
    How.lower = lowerWrite(Good);
    EXPECT_TRUE(prepareAffine(How).ok());
  }
  for (int64_t Bad : {-1, 3200, 3200 + 63, -64}) {
    How.lower = lowerWrite(Bad);
    How.warm_run = true;
    How.check_buffers = false;
    Status S = prepareAffine(How).status();
    EXPECT_EQ(getCode(S), GraphErrc::Runtime) << Bad;
    // Later, where one asks for it.
    How.warm_run = false;
    EXPECT_TRUE(prepareAffine(How)->execute().ok());
    How.check_buffers = true;
    EXPECT_EQ(getCode(prepareAffine(How)->execute()), GraphErrc::Runtime);
    EXPECT_EQ(getCode(prepareAffine(How)->execute_profiled().status()),
              GraphErrc::Runtime);
  }
}

/// z = x + y, of sizes that are equal in each call: never at the lower bounds.
template <class P, int64_t MostB> struct Guarded {
  In<P, float> x{}, y{};
  Out<P, float> z{};
  Var<P, 1, 8> a{};
  Var<P, 2, MostB> b{};
};
template <class P> using EqualAbove = Guarded<P, 8>;
template <class P> using EqualBetween = Guarded<P, 9>;

template <template <class> class Sizes>
Result<Prepared<Sizes>> prepareGuarded(PrepareConfig How = testConfig()) {
  constexpr Sizes<Names> D = InterfaceOf<Sizes>::positions();
  return graph<Sizes>(0,
                      [](const int &, Sizes<Trace> &Io) {
                        assume_eq(Io.x, Io.a, Io.b);
                        Io.z = Io.x + Io.y;
                      })
      .prepare({.x = {D.a}, .y = {D.b}}, How);
}

/// Writes the number of its call.
Result<GraphPlan> lowerCounter(OpGraph Ops) {
  Dim One = Ops.dims().constant(1);
  std::vector<Dim> Shape = Ops.inputs()[0].Shape;
  PlanWriter W(std::move(Ops));
  uint32_t X = W.input(0), Y = W.input(1), Z = W.output(0, Shape);
  uint32_t Count = W.kernel("count", "  static int calls;\n"
                                     "  *(float *)buffers[0] = ++calls;\n");
  W.node(Count, {Z, X, Y}, {}, One);
  return W.finish();
}

TEST(ReplayTest, WaysAreComparedWhereGuardsHold) {
  std::vector<int64_t> Most = {8, 8};
  Result<Prepared<EqualAbove>> G = prepareGuarded<EqualAbove>();
  ASSERT_TRUE(G.ok()) << G.status().message();
  Result<bool> Agree = G->replay().waysAgree();
  ASSERT_TRUE(Agree.ok()) << Agree.status().message();
  EXPECT_TRUE(*Agree);
  EXPECT_TRUE(std::ranges::equal(G->replay().values(), Most));
  EXPECT_TRUE(G->execute().ok());

  PrepareConfig How = testConfig();
  How.lower = lowerCounter;
  G = prepareGuarded<EqualAbove>(How);
  ASSERT_TRUE(G.ok()) << G.status().message();
  Agree = G->replay().waysAgree();
  ASSERT_TRUE(Agree.ok()) << Agree.status().message();
  EXPECT_FALSE(*Agree);
  EXPECT_TRUE(std::ranges::equal(G->replay().values(), Most));
}

TEST(ReplayTest, WaysAgreeIfGuardsHoldAtNoBounds) {
  std::vector<int64_t> Most = {8, 9};
  Result<Prepared<EqualBetween>> G = prepareGuarded<EqualBetween>();
  ASSERT_TRUE(G.ok()) << G.status().message();
  Result<bool> Agree = G->replay().waysAgree();
  ASSERT_TRUE(Agree.ok()) << Agree.status().message();
  EXPECT_TRUE(*Agree);
  EXPECT_TRUE(std::ranges::equal(G->replay().values(), Most));
  EXPECT_TRUE(G->execute({.a = 8, .b = 8}).ok());
}

TEST(ReplayTest, BlocksAreCountedExactly) {
  constexpr int64_t Most = UINT32_MAX;
  EXPECT_TRUE(countBlocks({{3, 5, 7}, {2, 1, 1}}) == 107);
  EXPECT_TRUE(countBlocks({{Most, Most, 0}}) == 0);
  unsigned __int128 One = countBlocks({{Most, Most, Most}});
  EXPECT_TRUE(One / Most / Most == Most);
  EXPECT_TRUE(countBlocks({{Most, Most, Most}, {1, 1, 1}}) == One + 1);
  EXPECT_TRUE(countBlocks({{Most, Most, Most - 1}}) < One);
}

TEST(ReplayTest, KernelsHaveTheirType) {
  PrepareConfig How = testConfig();
  How.lower = [](OpGraph Ops) {
    Result<GraphPlan> Plan = lowerAffine(std::move(Ops));
    size_t At = Plan->Source.find("long long last");
    Plan->Source.replace(At, std::strlen("long long last"), "int last");
    return Plan;
  };
  Status S = prepareAffine(How).status();
  EXPECT_EQ(S.detail(), Errc::SignatureMismatch) << S.message();
  How.lower = [](OpGraph Ops) {
    Result<GraphPlan> Plan = lowerAffine(std::move(Ops));
    Plan->Source += "this is no C++\n";
    return Plan;
  };
  EXPECT_EQ(prepareAffine(How).status().detail(), Errc::CompileFailed);
}

TEST(ReplayTest, TooLargeForMemory) {
  constexpr Affine<Names> D = InterfaceOf<Affine>::positions();
  PrepareConfig How = testConfig();
  How.lower = lowerWrite(0);
  Status S =
      affineGraph().prepare({.x = {int64_t(1) << 55, 1, 4}}, How).status();
  EXPECT_EQ(getCode(S), GraphErrc::OutOfMemory) << S.message();
  S = affineGraph().prepare({.x = {D.b, int64_t(1) << 55, 4}}, How).status();
  EXPECT_EQ(getCode(S), GraphErrc::OutOfMemory) << S.message();
}

//===----------------------------------------------------------------------===//
// Plans that make no sense
//===----------------------------------------------------------------------===//

using Damage = void (*)(GraphPlan &);

TEST(ReplayTest, DamagedPlansAreRefused) {
  Damage All[] = {
      [](GraphPlan &P) { P.Buffers[0].Which = 1; },
      [](GraphPlan &P) { P.Buffers[1].Which = 1; },
      [](GraphPlan &P) { P.Buffers[1].Bytes = 20; },
      [](GraphPlan &P) { P.Buffers[2].Which = 1; },
      [](GraphPlan &P) { P.Buffers[2].Bytes += 256; },
      [](GraphPlan &P) { P.Buffers[3].Which = 1; },
      [](GraphPlan &P) { P.Buffers[3].Bytes -= 1; },
      [](GraphPlan &P) { P.Buffers[3].Strides[0] += 1; },
      [](GraphPlan &P) { P.Buffers[3].Strides[0] = INT64_MAX; },
      [](GraphPlan &P) { P.Buffers[3].Strides[0] = -400; },
      [](GraphPlan &P) { P.Buffers[3].Strides.pop_back(); },
      [](GraphPlan &P) { P.Buffers[3].Extents[0] = Dim(); },
      [](GraphPlan &P) {
        P.Buffers[3].Extents[0] = P.Buffers[3].Extents[0] - 2;
      },
      [](GraphPlan &P) { P.Buffers[3].Type = static_cast<ElementType>(7); },
      [](GraphPlan &P) { P.Buffers[3].Role = static_cast<BufferRole>(5); },
      [](GraphPlan &P) { P.Inputs[0] = 4; },
      [](GraphPlan &P) { P.Inputs[0] = 1; },
      [](GraphPlan &P) { P.Inputs.clear(); },
      [](GraphPlan &P) { P.Outputs[0] = 4; },
      [](GraphPlan &P) { P.Outputs[0] = 0; },
      [](GraphPlan &P) { P.Outputs.clear(); },
      [](GraphPlan &P) { P.Kernels[1].Name = P.Kernels[0].Name; },
      [](GraphPlan &P) { P.Kernels[1].Name.clear(); },
      [](GraphPlan &P) { P.Nodes[0].Kernel = 2; },
      [](GraphPlan &P) { P.Nodes[0].Buffers[0] = 4; },
      [](GraphPlan &P) { P.Nodes[0].Buffers[0] = 0; },
      [](GraphPlan &P) { P.Nodes[0].Buffers[0] = 1; },
      [](GraphPlan &P) { P.Setup.push_back(P.Nodes[0]); },
      [](GraphPlan &P) { P.Buffers[2].Role = BufferRole::Derived; },
      [](GraphPlan &P) { P.Nodes[0].Written = 2; },
      [](GraphPlan &P) { P.Nodes[0].Written = 4; },
      [](GraphPlan &P) { P.Nodes[0].Rows = Dim(); },
      [](GraphPlan &P) { P.Nodes[0].Rows = P.Nodes[0].Rows - 2; },
      [](GraphPlan &P) { P.Nodes[0].Sizes[0] = Dim(); },
      [](GraphPlan &P) { P.Memory.Places.pop_back(); },
      [](GraphPlan &P) { P.Memory.Places[0].Offset = 256; },
      [](GraphPlan &P) { P.Memory.Places[0].Offset = 1; },
      [](GraphPlan &P) { P.Memory.Peak = 256; },
      [](GraphPlan &P) { P.Pooled[0].Size = 256; },
  };
  for (size_t I = 0; I < std::size(All); ++I) {
    PrepareConfig How = testConfig();
    How.lower = [&](OpGraph Ops) {
      Result<GraphPlan> Plan = lowerAffine(std::move(Ops));
      All[I](*Plan);
      return Plan;
    };
    Status S = prepareAffine(How).status();
    EXPECT_EQ(S.code(), StatusCode::InvalidFormat) << I << ": " << S.message();
  }
}

TEST(ReplayTest, PlansOfOtherTargetsAreRefused) {
  PrepareConfig How = testConfig();
  How.lower = [](OpGraph Ops) {
    Result<GraphPlan> Plan = lowerAffine(std::move(Ops));
    Plan->Target = GraphTarget::Hip;
    for (GraphNode &Node : Plan->Nodes)
      Node.Grid.fill(Node.Rows);
    return Plan;
  };
  EXPECT_EQ(getCode(prepareAffine(How).status()), GraphErrc::Device);
  How.lower = [](OpGraph Ops) {
    Result<GraphPlan> Plan = lowerAffine(std::move(Ops));
    Plan->Buffers[0].Type = ElementType::Int32;
    return Plan;
  };
  EXPECT_EQ(getCode(prepareAffine(How).status()), GraphErrc::DtypeMismatch);
  How.lower = [](OpGraph) -> Result<GraphPlan> {
    return Status(StatusCode::InvalidArgument, "lower: no");
  };
  EXPECT_EQ(prepareAffine(How).status().message(), "lower: no");
}

} // namespace
