//===- ReplayCompare.cpp - a graph's results against reference ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ReplayCompare.h"

#include "TestPlan.h"

#include "JitGraph/Sizes/DimProgram.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr unsigned char Canary = 0x5c;

float readFloat(ElementType Type, const std::byte *At) {
  uint16_t Bits;
  std::memcpy(&Bits, At, 2);
  if (Type == ElementType::BFloat16)
    return std::bit_cast<float>(uint32_t{Bits} << 16);
  int Exponent = Bits >> 10 & 31;
  float Fraction = static_cast<float>(Bits & 1023) / 1024;
  float Size = Exponent == 0 ? std::ldexp(Fraction, -14)
                             : std::ldexp(1 + Fraction, Exponent - 15);
  return Bits >> 15 ? -Size : Size;
}

template <typename T> double valueAt(const std::byte *At) {
  T Value;
  std::memcpy(&Value, At, sizeof(T));
  return static_cast<double>(Value);
}

double valueOf(ElementType Type, const std::byte *At) {
  switch (Type) {
  case ElementType::Float32:
    return static_cast<double>(valueAt<float>(At));
  case ElementType::Float16:
  case ElementType::BFloat16:
    return static_cast<double>(readFloat(Type, At));
  case ElementType::Int32:
    return valueAt<int32_t>(At);
  case ElementType::Int64:
    return static_cast<double>(valueAt<int64_t>(At));
  default:
    return valueAt<uint8_t>(At);
  }
}

template <typename T> void put(std::byte *At, T Value) {
  std::memcpy(At, &Value, sizeof(T));
}

/// Numbers of randomInputs() have few bits: none is rounded.
void putValue(ElementType Type, std::byte *At, double Value) {
  auto Float = static_cast<float>(Value);
  uint32_t Bits = std::bit_cast<uint32_t>(Float);
  switch (Type) {
  case ElementType::Float32:
    return put(At, Float);
  case ElementType::BFloat16:
    return put(At, static_cast<uint16_t>(Bits >> 16));
  case ElementType::Float16: {
    uint32_t Exponent = (Bits >> 23 & 255) - 127 + 15;
    uint32_t Sign = Bits >> 31 << 15;
    return put(At, static_cast<uint16_t>(Float == 0 ? Sign
                                                    : Sign | Exponent << 10 |
                                                          (Bits >> 13 & 1023)));
  }
  case ElementType::Int32:
    return put(At, static_cast<int32_t>(Value));
  case ElementType::Int64:
    return put(At, static_cast<int64_t>(Value));
  default:
    return put(At, static_cast<uint8_t>(Value));
  }
}

/// Function(place in memory, place among the elements) for each of them.
template <typename F>
void forElements(std::span<const int64_t> Extents,
                 std::span<const int64_t> Strides, F Function) {
  size_t Count = 1;
  for (int64_t Extent : Extents)
    Count *= static_cast<size_t>(Extent);
  for (size_t I = 0; I < Count; ++I) {
    int64_t Place = 0;
    size_t Rest = I;
    for (size_t Axis = Extents.size(); Axis-- > 0;) {
      auto Extent = static_cast<size_t>(Extents[Axis]);
      Place += static_cast<int64_t>(Rest % Extent) * Strides[Axis];
      Rest /= Extent;
    }
    Function(static_cast<size_t>(Place), I);
  }
}

/// Of each node: by what it is computed from, which stands in front of it.
std::vector<double> computeTolerances(const OpGraph &G) {
  std::vector<double> All;
  for (uint32_t I = 0; I < G.size(); ++I) {
    All.push_back(sizeOf(G.node(I).Type) == 2 ? 2e-2 : 2e-4);
    for (uint32_t Operand : G.node(I).Operands)
      All[I] = std::max(All[I], All[Operand]);
  }
  return All;
}

void compareOutput(const Replay &R, uint32_t I, double Tolerance,
                   const ReferenceTensor &Expected) {
  const GraphBuffer &B = R.plan().Buffers[R.plan().Outputs[I]];
  const auto *Memory = static_cast<const std::byte *>(R.output(I));
  std::vector<bool> IsElement(B.Bytes / sizeOf(B.Type));
  size_t Wrong = 0;
  forElements(Expected.Shape, B.Strides, [&](size_t Place, size_t E) {
    IsElement[Place] = true;
    double Is = valueOf(B.Type, Memory + Place * sizeOf(B.Type));
    double Should = Expected.Elements[E];
    if (Is == Should ||
        std::abs(Is - Should) <= Tolerance * std::max(1.0, std::abs(Should)))
      return;
    if (!Wrong++)
      ADD_FAILURE() << "output " << B.Name << " at " << E << ": is " << Is
                    << ", should be " << Should;
  });
  EXPECT_EQ(Wrong, 0U) << R.plan().Ops.text() << R.plan().Source;
  for (size_t Place = 0; Place < IsElement.size(); ++Place)
    for (size_t Byte = 0; Byte < sizeOf(B.Type) && !IsElement[Place]; ++Byte)
      ASSERT_EQ(Memory[Place * sizeOf(B.Type) + Byte], std::byte{Canary})
          << "output " << B.Name << ", place " << Place;
}

} // namespace

PrepareConfig jit::compareConfig(bool Fuse) {
  PrepareConfig How = testConfig();
  How.fuse = Fuse;
  How.check_buffers = true;
  // Many small units: what matters is what they compute.
  How.flags = {"-O1"};
  if (const char *Run = std::getenv("KPACK_JIT_GRAPH_RUN")) {
    How.where = GraphTarget::Hip;
    How.one_launch = std::string_view(Run) == "graph";
    EXPECT_TRUE(How.one_launch || std::string_view(Run) == "launches") << Run;
  }
  return How;
}

Result<std::unique_ptr<Replay>> jit::prepareToCompare(OpGraph Graph,
                                                      bool Fuse) {
  return prepareToCompare(std::move(Graph), Fuse, compareConfig(Fuse));
}

Result<std::unique_ptr<Replay>>
jit::prepareToCompare(OpGraph Graph, bool Fuse, const PrepareConfig &How) {
  LowerOptions Kernels;
  Kernels.Fuse = Fuse;
  Kernels.Target = How.where;
  Kernels.SizesInMemory = How.one_launch;
  Result<GraphPlan> Plan = lower(std::move(Graph), Kernels);
  if (!Plan)
    return Plan.status();
  Result<std::shared_ptr<const CompiledPlan>> Compiled =
      compilePlan(std::move(*Plan), How);
  if (!Compiled)
    return Compiled.status();
  return Replay::create(std::move(*Compiled));
}

void jit::compareWithReference(Replay &R, std::span<const int64_t> Values,
                               std::span<const ReferenceTensor> Inputs) {
  Result<std::vector<ReferenceTensor>> Expected =
      evaluate(R.plan().Ops, Values, Inputs);
  ASSERT_TRUE(Expected.ok()) << Expected.status().message();
  compareOutputs(R, Values, Inputs, *Expected);
}

void jit::compareOutputs(Replay &R, std::span<const int64_t> Values,
                         std::span<const ReferenceTensor> Inputs,
                         std::span<const ReferenceTensor> Expected) {
  const GraphPlan &Plan = R.plan();
  std::vector<std::optional<int64_t>> Bound(Values.begin(), Values.end());
  Replay::Turn Turn(R);
  ASSERT_TRUE(R.bind(Bound, {}).ok());
  for (uint32_t I = 0; I < Inputs.size(); ++I) {
    const GraphBuffer &B = Plan.Buffers[Plan.Inputs[I]];
    auto *To = static_cast<std::byte *>(R.input(I));
    std::memset(To, Canary, B.Bytes);
    forElements(Inputs[I].Shape, B.Strides, [&](size_t Place, size_t E) {
      putValue(B.Type, To + Place * sizeOf(B.Type), Inputs[I].Elements[E]);
    });
  }
  for (uint32_t I = 0; I < Plan.Outputs.size(); ++I)
    std::memset(const_cast<void *>(R.output(I)), Canary,
                Plan.Buffers[Plan.Outputs[I]].Bytes);
  Status Ran = R.run();
  ASSERT_TRUE(Ran.ok()) << Ran.message();
  std::vector<double> Tolerances = computeTolerances(Plan.Ops);
  for (uint32_t I = 0; I < Plan.Outputs.size(); ++I)
    compareOutput(R, I, Tolerances[Plan.Ops.outputs()[I].Node], Expected[I]);
}
