//===- TestPlan.h - hand-written plans for tests ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans with kernels of the test's own, in the place of what lower() makes, and
// a cache of kernels that goes away with the test.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_JITGRAPH_TESTPLAN_H
#define KPACK_UNITTESTS_JITGRAPH_TESTPLAN_H

#include "kpack/JitGraph/Graph.h"
#include "kpack/kpack_jit.h"

#include "gtest/gtest.h"
#include <cstring>
#include <filesystem>

namespace kpack::jit {

/// Compiled kernels are shared by all tests of a process: most have the same.
class TestCache {
public:
  static kpack_jit_cache *get() {
    static TestCache Only;
    return Only.Opened;
  }

private:
  TestCache() {
    ::setenv("KPACK_JIT_COMPILER", JIT_TEST_COMPILER, 1);
    std::string Pattern = testing::TempDir() + "kpack-graph-XXXXXX";
    Folder = ::mkdtemp(Pattern.data());
    kpack_jit_cache_options Options{};
    Options.size = sizeof(Options);
    Options.directory = Folder.c_str();
    Options.compile_helper = JIT_TEST_HELPER;
    Options.on_event = [](const kpack_jit_event *, void *) {};
    EXPECT_EQ(kpack_jit_cache_open(&Options, &Opened), KPACK_JIT_SUCCESS);
  }
  ~TestCache() {
    kpack_jit_cache_close(Opened);
    std::error_code Ignored;
    std::filesystem::remove_all(Folder, Ignored);
  }
  std::string Folder;
  kpack_jit_cache *Opened = nullptr;
};

inline PrepareConfig testConfig() {
  PrepareConfig Config;
  Config.cache = TestCache::get();
  return Config;
}

/// A saved plan, as files were before they ended with a checksum.
inline std::string withoutChecksum(std::string Bytes) {
  Bytes.resize(Bytes.size() - 24);
  return Bytes;
}

/// A plan, a buffer and a node at a time, of the inputs and outputs that a
/// graph has.
class PlanWriter {
public:
  explicit PlanWriter(OpGraph Ops) { Plan.Ops = std::move(Ops); }

  uint32_t input(uint32_t Which) {
    const OpInput &Input = Plan.Ops.inputs()[Which];
    Plan.Inputs.push_back(
        add(BufferRole::Input, Input.Name, Input.Type, Input.Shape, Which));
    return Plan.Inputs.back();
  }
  uint32_t output(uint32_t Which, std::vector<Dim> Shape,
                  ElementType Type = ElementType::Float32) {
    Plan.Outputs.push_back(add(BufferRole::Output,
                               Plan.Ops.outputs()[Which].Name, Type,
                               std::move(Shape), Which));
    return Plan.Outputs.back();
  }
  uint32_t weight(std::string Name, std::vector<float> Elements) {
    OpConstant C;
    C.Name = Name;
    C.Shape = {static_cast<int64_t>(Elements.size())};
    C.Bytes = ConstantBytes(std::as_bytes(std::span(Elements)));
    Plan.Weights.push_back(std::move(C));
    auto Which = static_cast<uint32_t>(Plan.Weights.size() - 1);
    Dim Extent = Plan.Ops.dims().constant(Plan.Weights.back().Shape[0]);
    return add(BufferRole::Weight, Name, ElementType::Float32, {Extent}, Which);
  }
  /// Written by node \p First, last read by node \p Last.
  uint32_t pooled(std::vector<Dim> Shape, uint32_t First, uint32_t Last) {
    auto Which = static_cast<uint32_t>(Plan.Pooled.size());
    std::string Name = "%" + std::to_string(Which);
    uint32_t Buffer = add(BufferRole::Pooled, Name, ElementType::Float32,
                          std::move(Shape), Which);
    Plan.Pooled.push_back({Name, Plan.Buffers[Buffer].Bytes, First, Last, {}});
    return Buffer;
  }
  uint32_t kernel(std::string Name, const std::string &Body) {
    Plan.Source += "extern \"C\" void " + Name +
                   "(void *const *buffers, const long long *sizes,\n"
                   "    long long first, long long last) {\n" +
                   Body + "}\n";
    GraphKernel Kernel{std::move(Name), "test", {}};
    Kernel.Where.File = "model.cpp";
    Kernel.Where.Line = 80;
    Plan.Kernels.push_back(std::move(Kernel));
    return static_cast<uint32_t>(Plan.Kernels.size() - 1);
  }
  void node(uint32_t Kernel, std::vector<uint32_t> Buffers,
            std::vector<Dim> Sizes, Dim Rows) {
    GraphNode Node;
    Node.Kernel = Kernel;
    Node.Buffers = std::move(Buffers);
    Node.Sizes = std::move(Sizes);
    Node.Rows = Rows;
    Node.Flops = Rows;
    Plan.Nodes.push_back(std::move(Node));
  }
  Result<GraphPlan> finish() {
    Result<MemoryPlan> Memory = planMemory(Plan.Pooled);
    if (!Memory)
      return Memory.status();
    Plan.Memory = std::move(*Memory);
    return std::move(Plan);
  }

  GraphPlan Plan;

private:
  uint32_t add(BufferRole Role, std::string Name, ElementType Type,
               std::vector<Dim> Shape, uint32_t Which) {
    GraphBuffer B;
    B.Name = std::move(Name);
    B.Role = Role;
    B.Type = Type;
    B.Extents = std::move(Shape);
    B.Strides.resize(B.Extents.size());
    int64_t Elements = 1;
    for (size_t I = B.Extents.size(); I-- > 0; Elements *= B.Extents[I].hi())
      B.Strides[I] = Elements;
    B.Bytes = static_cast<uint64_t>(Elements) * sizeOf(Type);
    B.Which = Which;
    Plan.Buffers.push_back(std::move(B));
    return static_cast<uint32_t>(Plan.Buffers.size() - 1);
  }
};

/// y = 2 * (x + bias), rows of 4 in two dimensions that change.
template <class P> struct Affine {
  In<P, float> x{};
  Out<P, float> y{};
  Var<P, 1, 8> b{};
  Var<P, 1, 100> t{};
};

inline Result<GraphPlan> lowerAffine(OpGraph Ops) {
  std::vector<Dim> Shape = Ops.inputs()[0].Shape;
  int64_t MostRows = Shape[1].hi();
  PlanWriter W(std::move(Ops));
  uint32_t X = W.input(0), Bias = W.weight("bias", {1, 2, 3, 4});
  uint32_t Sum = W.pooled(Shape, 0, 1), Y = W.output(0, Shape);
  std::string Loop = "  for (long long r = first; r < last; ++r)\n"
                     "    for (int i = 0; i < 4; ++i) {\n"
                     "      long long at = (r / sizes[0] * " +
                     std::to_string(MostRows) + " + r % sizes[0]) * 4 + i;\n";
  uint32_t Add = W.kernel("add_0", "  auto *to = (float *)buffers[0];\n"
                                   "  auto *x = (const float *)buffers[1];\n"
                                   "  auto *w = (const float *)buffers[2];\n" +
                                       Loop +
                                       "      to[at] = x[at] + w[i];\n"
                                       "    }\n");
  uint32_t Twice =
      W.kernel("twice_1", "  auto *to = (float *)buffers[0];\n"
                          "  auto *x = (const float *)buffers[1];\n" +
                              Loop +
                              "      to[at] = 2 * x[at];\n"
                              "    }\n");
  Dim Rows = Shape[0] * Shape[1];
  W.node(Add, {Sum, X, Bias}, {Shape[1]}, Rows);
  W.node(Twice, {Y, Sum}, {Shape[1]}, Rows);
  return W.finish();
}

/// The build function of what lowers by itself: each output is the first input.
inline auto firstInput() {
  return [](const int &, Affine<Trace> &Io) { Io.y = Io.x; };
}

inline auto affineGraph() { return graph<Affine>(0, firstInput()); }

inline Result<Prepared<Affine>>
prepareAffine(PrepareConfig Config = testConfig()) {
  constexpr Affine<Names> D = InterfaceOf<Affine>::positions();
  if (!Config.lower)
    Config.lower = lowerAffine;
  return affineGraph().prepare({.x = {D.b, D.t, 4}}, Config);
}

} // namespace kpack::jit

#endif // KPACK_UNITTESTS_JITGRAPH_TESTPLAN_H
