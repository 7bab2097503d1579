//===- MathModeTest.cpp - tests of kernels in each math mode --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is finite has the reference's results in all modes, and with the flags
// that take infinities, NaNs or both away. Rows are negative: a maximum that
// starts at a number above them shows. On emulated GPUs:
// test/JitGraph/gpu.test.
//
//===----------------------------------------------------------------------===//
#include "ReplayCompare.h"
#include "TracedTest.h"

#include "kpack/JitGraph/AnyOps.h"
#include "kpack/JitGraph/Layers.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

struct Mode {
  const char *Name;
  MathMode Math;
  std::vector<std::string> Flags;
};

const Mode Modes[] = {
    {"strict", MathMode::Strict, {"-O1"}},
    {"relaxed", MathMode::Relaxed, {"-O1"}},
    {"fast", MathMode::Fast, {"-O1"}},
    {"fast -O3", MathMode::Fast, {}},
    {"finite", MathMode::Strict, {"-ffinite-math-only", "-O1"}},
    {"flag", MathMode::Relaxed, {"-ffast-math", "-O1"}},
    // Here __FINITE_MATH_ONLY__ is 0.
    {"no infinities", MathMode::Strict, {"-fno-honor-infinities", "-O1"}},
    {"fast with NaNs", MathMode::Fast, {"-fhonor-nans", "-O1"}},
};

class MathModeTest : public TracedTest {
protected:
  /// One graph in each mode, called with all of \p Calls; its inputs are
  /// Number(0), Number(1), ...
  void check(const std::function<void()> &Write,
             const std::vector<std::vector<int64_t>> &Calls,
             double (*Value)(size_t), std::span<const Mode> In = Modes) {
    std::vector<std::vector<ReferenceTensor>> Inputs, Expected;
    Write();
    for (const std::vector<int64_t> &Values : Calls) {
      Inputs.push_back(randomInputs(G, Values, 1));
      for (ReferenceTensor &Input : Inputs.back())
        for (size_t I = 0; I < Input.Elements.size(); ++I)
          Input.Elements[I] = Value(I);
      Result<std::vector<ReferenceTensor>> Outputs =
          evaluate(G, Values, Inputs.back());
      ASSERT_TRUE(Outputs.ok()) << Outputs.status().message();
      Expected.push_back(std::move(*Outputs));
    }
    for (const Mode &M : In)
      for (bool Fuse : {true, false}) {
        // A kernel an operation: in the modes themselves.
        if (!Fuse && M.Flags.size() != 1)
          continue;
        SCOPED_TRACE(std::string(M.Name) + (Fuse ? ", fused" : ", unfused"));
        G = OpGraph();
        Write();
        PrepareConfig Config = compareConfig(Fuse);
        Config.math = M.Math;
        Config.flags = M.Flags;
        Result<std::unique_ptr<Replay>> Prepared =
            prepareToCompare(std::move(G), Fuse, Config);
        ASSERT_TRUE(Prepared.ok()) << Prepared.status().message();
        for (size_t I = 0; I < Calls.size(); ++I) {
          compareOutputs(**Prepared, Calls[I], Inputs[I], Expected[I]);
          ASSERT_FALSE(HasFailure());
        }
      }
  }
};

double negative(size_t I) {
  return -1.0 - static_cast<double>(I * 37 % 101) / 8;
}

// Rows of fewer elements than a vector or a block has leave lanes at the start.
TEST_F(MathModeTest, MaximaOfNegativeRows) {
  auto Write = [&] {
    Dim T = variable("t", 1, 40), U = variable("u", 1, 270);
    Tensor<float> X = input("x", {T, number(5)});
    Tensor<float> Y = input("y", {number(72), U});
    for (const Tensor<float> &Operand : {X, Y})
      for (int64_t Axis : {0, 1}) {
        output(max_of(Operand, Axis));
        output(argmax(Operand, Axis));
        output(softmax(Operand, Axis));
        output(log_softmax(Operand, Axis));
      }
    output(max_of(Y, 1, true) * 2.0F + Y);
    output(max_of(cast<float16>(Y), 1));
    output(max_of(cast<int32_t>(Y), 1));
    output(max_of(cast<int64_t>(Y), 0));
    Tensor<float> Q = input("q", {number(2), T, number(8)});
    Tensor<float> Lengths = input("lengths", {number(2)});
    output(attention(Q, Q * 0.5F, Q, 2));
    output(attention(Q, Q * 0.5F, Q, 2,
                     {.lengths = cast<int32_t>(Lengths * -8.0F)}));
  };
  check(Write, {{33, 9}, {1, 1}, {40, 270}}, negative);
}

// Infinities that are written in a graph: of a mask, and of a pad.
TEST_F(MathModeTest, InfinitiesOfTheGraph) {
  auto Write = [&] {
    Dim T = variable("t", 2, 40);
    Tensor<float> X = input("x", {number(9), T});
    Tensor<float16> H = cast<float16>(X);
    Tensor<bfloat16> B = cast<bfloat16>(X);
    Tensor<bool> Kept = max_of(X, 1, true) - 2.0F < X;
    output(softmax(where(Kept, X, -INFINITY)));
    output(softmax(where(Kept, H, -INFINITY)));
    output(softmax(where(Kept, B, -INFINITY)));
    output(max_of(window(pad(X, 1, 1, 1, -INFINITY), 1, 3, 2), 2));
    output(argmax(pad(X, 0, 1, 1, -INFINITY), 0));
    output(max_of(where(Kept, X, -INFINITY), 1));
    output(any::binary(OpKind::Min, X, 1e39, {}));
  };
  check(Write, {{40}, {13}, {2}}, negative, std::span(Modes).first(5));
}

// An index is that of an element which is computed again: it has to be equal to
// the maximum, however a loop was compiled.
TEST_F(MathModeTest, ArgmaxOfComputedRowsIsRight) {
  auto Write = [&] {
    Dim T = variable("t", 1, 40), U = variable("u", 1, 270);
    Tensor<float> X = input("x", {T, U}), Y = input("y", {T, U});
    Tensor<float> Z = input("z", {T, number(1)});
    for (const Tensor<float> &Operand :
         {X / (Y - 20.0F), X * Z + Y * 3.0F + X, exp(X) / Z, rsqrt(Y * Z),
          sqrt(X * X + Y * Y), (X - Z) / (Y * Y + 1.0F) - X * 0.3F})
      for (int64_t Axis : {0, 1})
        output(argmax(Operand, Axis));
  };
  check(
      Write, {{17, 270}, {40, 45}},
      [](size_t I) { return -1.0 - static_cast<double>(I * I % 10007) / 1024; },
      std::span(Modes).first(3));
}

} // namespace
