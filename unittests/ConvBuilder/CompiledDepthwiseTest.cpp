//===- CompiledDepthwiseTest.cpp - tests of compiled DEPTHWISE kernels ----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LDS that the launch says, barriers, vectors and promised filters, as
// compilers make them of DepthwiseTest.cpp's: one direction for each third
// row, all of all rows with KPACK_CONV_COMPILED=all.
//
//===----------------------------------------------------------------------===//
#include "DeviceCase.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

struct DepthwiseRow {
  const char *Processor;
  DataType Type;
  ConvDirection Direction;
  int Dims;
  int Vector;
  bool IsPromised;
};

constexpr DepthwiseRow Rows[] = {
    {"cpu", DataType::FP32, ConvDirection::FORWARD, 2, 4, false},
    {"cpu", DataType::FP16, ConvDirection::BACKWARD_WEIGHT, 3, 1, false},
    {"gfx90a", DataType::FP32, ConvDirection::BACKWARD_WEIGHT, 2, 2, false},
    {"gfx90a", DataType::FP16, ConvDirection::FORWARD, 2, 4, true},
    {"gfx90a", DataType::FP32, ConvDirection::BACKWARD_DATA, 3, 1, false},
    {"gfx1100", DataType::BF16, ConvDirection::BACKWARD_DATA, 2, 2, true},
    {"gfx1100", DataType::FP16, ConvDirection::BACKWARD_WEIGHT, 2, 4, true},
    {"gfx1100", DataType::FP32, ConvDirection::FORWARD, 1, 1, false},
};

Algorithm makeAlgorithm(const DepthwiseRow &Row, ConvDirection Direction) {
  Algorithm Algo;
  Algo.kind = Kind::DEPTHWISE;
  Algo.block_size = 128; // waves that have to wait for each other
  Depthwise &D = Algo.depthwise.make();
  D.tile = {Row.Dims == 1 ? 1 : 4, 16};
  D.subtile = {Row.Dims == 1 ? 1 : 2, 4};
  D.nbatch = 2;
  D.in_vector = Row.Vector;
  D.out_vector = Direction == ConvDirection::BACKWARD_WEIGHT ? 1 : Row.Vector;
  if (Row.IsPromised)
    D.filter = FilterFacts{{3, 5}, {2, 1}, {1, 1}, {1, 2}};
  return Algo;
}

ConvCase depthwiseCase(const DepthwiseRow &Row, ConvDirection Direction) {
  ConvCase Case;
  Case.Sig.spatial_dim = Row.Dims;
  Case.Sig.direction = Direction;
  Case.Sig.data_type = Row.Type;
  if (Row.Dims == 2) {
    Case.Sig.input.config.layout = TensorLayout::NGCHW;
    Case.Sig.output.config.layout = TensorLayout::GNHWK;
  }
  Tensor *Tensors[] = {&Case.Sig.input, &Case.Sig.weight, &Case.Sig.output};
  Operation &Its = Tensors[Case.result()]->operation.make();
  Its.elementwise_operation = ElementwiseOperation::ADD_CLAMP;
  Its.auxiliary_operand_configs.push({.data_type = DataType::FP32});
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  Case.P = {.groups = 3, .batch = 3, .c = 1, .k = 1};
  for (int D = 3 - Row.Dims; D < 3; ++D) {
    constexpr int Image[] = {3, 7, 20}, Filter[] = {2, 3, 5},
                  Stride[] = {1, 2, 1}, Pads[] = {1, 1, 2};
    Case.P.image.push(Image[D]);
    Case.P.filter.push(Filter[D]);
    Case.P.stride.push(Stride[D]);
    Case.P.pad.push({Pads[D], Pads[D]});
  }
  return Case;
}

/// With less LDS than the launch says, the kernel reaches beyond it.
void checkLds(Backend &On, const ConvCase &Case, const Algorithm &Algo) {
  Result<ConvKernel> Kernel =
      ConvKernel::compile(Case.Sig, Algo, On.processor(), testOptions());
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
  Result<std::unique_ptr<LoadedKernel>> Loaded = On.load(*Kernel);
  ASSERT_TRUE(Loaded.ok());
  std::vector<void *> Pointers;
  for (const TensorBytes &Each : Case.Memory) {
    Result<void *> Allocated = On.allocate(Each.size());
    ASSERT_TRUE(Allocated.ok());
    Pointers.push_back(*Allocated);
    ASSERT_TRUE(On.upload(*Allocated, Each.data(), Each.size()).ok());
  }
  Result<KernelLaunch> Launch =
      Kernel->launchOf(Case.P, argsAt(Case.Sig, Case.Numbers, Pointers));
  ASSERT_TRUE(Launch.ok());
  EXPECT_TRUE((*Loaded)->launch(*Launch).ok());
  Launch->Steps[0].Lds -= 4;
  EXPECT_EQ((*Loaded)->launch(*Launch).detail(), Errc::LaunchFailed)
      << On.processor() << " " << Launch->Steps[0].Lds;
}

TEST(CompiledDepthwiseTest, DirectionsMatchTheReference) {
  bool All = allAreAsked();
  unsigned Seen = 0;
  for (size_t I = 0; I < std::size(Rows); ++I) {
    const DepthwiseRow &Row = Rows[I];
    if (!isAsked(I, 3))
      continue;
    std::unique_ptr<Backend> On = chooseBackend(Row.Processor);
    ASSERT_TRUE(On);
    for (unsigned Which = 0; Which < 3; ++Which) {
      auto Direction = static_cast<ConvDirection>(Which);
      if (!All && Direction != Row.Direction)
        continue;
      ConvCase Case = depthwiseCase(Row, Direction);
      ASSERT_TRUE(Case.fill(Which));
      ASSERT_NO_FATAL_FAILURE(check(*On, Case, makeAlgorithm(Row, Direction)))
          << Row.Processor << " " << nameOf(Row.Type) << " " << Which;
      // Of what the process has compiled already.
      if (Row.Processor != CpuProcessor && Direction == Row.Direction)
        ASSERT_NO_FATAL_FAILURE(
            checkLds(*On, Case, makeAlgorithm(Row, Direction)));
      ++Seen;
    }
  }
  EXPECT_EQ(Seen, All ? std::size(Rows) * 3 : 3U);
}

} // namespace
