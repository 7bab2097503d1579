//===- CompiledTest.cpp - tests of compiled kernels on CPU and GPUs -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What natively runs is compiled here as users have it compiled: through the
// executor, for the CPU and for each generation of GPUs, and launched through
// Backend.h. Few cases each, since each is a compile: all three directions in
// all three dimensions, types and operations that make other code on GPUs. With
// KPACK_CONV_COMPILED=all all cases of the tables, and not one of a few.
//
//===----------------------------------------------------------------------===//
#include "DeviceCase.h"

#include "ConvBuilder/Emit.h"
#include "Support/Files.h"
#include "kpack/ConvBuilder/Candidates.h"
#include "kpack/ConvBuilder/CodeObject.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace kpack;
using namespace kpack::conv;

namespace {

Algorithm makeAlgorithm(Kind Which) {
  Algorithm Algo;
  Algo.kind = Which;
  Algo.block_size = 64;
  return Algo;
}

Fp8Form getForm(const char *Processor) {
  return hasFnuz(Processor) ? Fp8Form::Fnuz : Fp8Form::Ocp;
}

class CompiledTest : public testing::TestWithParam<const char *> {
protected:
  CompiledTest() : On(chooseBackend(GetParam())) {}
  /// Whether it is tried on this processor; at night on each.
  static bool isOneOf(std::initializer_list<std::string_view> Processors) {
    return allAreAsked() || std::find(Processors.begin(), Processors.end(),
                                      GetParam()) != Processors.end();
  }
  /// As it is with this processor.
  ConvCase next(RandomCase &Random) const {
    ConvCase Case = Random.next();
    Case.Form = getForm(GetParam());
    return Case;
  }
  std::unique_ptr<Backend> On;
};

/// One case for each direction, in another dimension each, so that three
/// processors have all; with KPACK_CONV_COMPILED=all all on each.
TEST_P(CompiledTest, DirectionsAndDimensions) {
  ASSERT_TRUE(On);
  if (!isOneOf({"cpu", "gfx90a", "gfx1100"}))
    return;
  RandomCase Random(21);
  std::string_view Name = GetParam();
  unsigned Missing = Name == "cpu" ? 0x111 : Name == "gfx90a" ? 0x062 : 0x08c;
  if (allAreAsked())
    Missing = 0x1ff;
  for (unsigned Seed = 0; Missing && Seed < 1000; ++Seed) {
    ConvCase Case = next(Random);
    int Index =
        static_cast<int>(Case.Sig.direction) * 3 + Case.Sig.spatial_dim - 1;
    if (!(Missing >> Index & 1))
      continue;
    Missing &= ~(1U << Index);
    ASSERT_TRUE(Case.fill(Seed));
    ASSERT_NO_FATAL_FAILURE(check(*On, Case, makeAlgorithm(Kind::DIRECT)));
  }
  EXPECT_EQ(Missing, 0U);
}

TEST_P(CompiledTest, ReferenceKernelMatchesTheHost) {
  ASSERT_TRUE(On);
  if (!isOneOf({"gfx1100"}))
    return;
  RandomCase Random(22);
  ConvCase Case = next(Random);
  ASSERT_TRUE(Case.fill(1));
  ASSERT_NO_FATAL_FAILURE(check(*On, Case, makeAlgorithm(Kind::REFERENCE)));
}

/// All operations of a value, by one kernel, with the library's functions that
/// are ours.
TEST_P(CompiledTest, OperationsMatchTheReference) {
  ASSERT_TRUE(On);
  if (!isOneOf({"gfx90a", "gfx1201"}))
    return;
  ConvCase Case;
  Case.Sig.spatial_dim = 1;
  Case.Sig.data_type = DataType::FP32;
  Case.Sig.output.operation = Operation{
      .elementwise_operation = ElementwiseOperation::DYNAMIC_UNARY_OP};
  Case.Sig = resolveSignature(Case.Sig);
  Case.P = {.c = 3, .k = 8, .image = {8}, .filter = {1}};
  unsigned Seen = 0;
  for (size_t I = 0; I < EnumCount<ElementwiseOperation>; ++I) {
    auto Op = static_cast<ElementwiseOperation>(I);
    if (!isUnary(Op))
      continue;
    Case.Numbers = argsFor(Case.Sig);
    OpNumbers Own = defaultNumbers(Op);
    OpParams &With = Case.Numbers.output.params;
    With.a = Own.a, With.b = Own.b, With.c = Own.c, With.dynamic = Op;
    ASSERT_TRUE(Case.fill(static_cast<unsigned>(I)));
    ASSERT_NO_FATAL_FAILURE(check(*On, Case, makeAlgorithm(Kind::DIRECT), 4));
    ++Seen;
  }
  EXPECT_EQ(Seen, 17U);
}

/// FP8 in the processor's form, whose sums do not fit.
TEST_P(CompiledTest, SmallFloatsMatchTheReference) {
  ASSERT_TRUE(On);
  if (!isOneOf({"gfx942", "gfx1201"}))
    return;
  ConvCase Case;
  Case.Form = getForm(GetParam());
  Case.Sig.spatial_dim = 2;
  Case.Sig.data_type = DataType::FP8;
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  Case.P = {.c = 40, .k = 3, .image = {3, 3}, .filter = {2, 2}};
  ASSERT_TRUE(Case.fill(9));
  ASSERT_NO_FATAL_FAILURE(check(*On, Case, makeAlgorithm(Kind::DIRECT)));
}

/// An operation as the result's, in a kernel that is made for it.
ConvCase operationCase(ElementwiseOperation Op, ConvDirection Direction,
                       DataType Type) {
  ConvCase Case;
  Case.Sig.spatial_dim = 2;
  Case.Sig.direction = Direction;
  Case.Sig.data_type = Type;
  Tensor *Tensors[] = {&Case.Sig.input, &Case.Sig.weight, &Case.Sig.output};
  Operation &Its = Tensors[Case.result()]->operation.make();
  Its.elementwise_operation = Op;
  Its.chain = {ElementwiseOperation::TANH, ElementwiseOperation::SCALE,
               ElementwiseOperation::ELU};
  for (unsigned I = 0; I < auxiliaryCount(Op); ++I)
    Its.auxiliary_operand_configs.push(
        {.data_type = I % 2 ? DataType::FP16 : DataType::FP32});
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  TensorArgs *Numbers[] = {&Case.Numbers.input, &Case.Numbers.weight,
                           &Case.Numbers.output};
  Numbers[Case.result()]->params = exactNumbers(Op);
  Case.P = {.groups = 2,
            .batch = 2,
            .c = 3,
            .k = 2,
            .image = {4, 3},
            .filter = {2, 2},
            .pad = {{1, 0}, {0, 1}}};
  return Case;
}

/// Operations on one result and on one GPU: each third one that takes more
/// than a value; CompiledTest.OperationsMatchTheReference has the others on
/// each. With KPACK_CONV_COMPILED=all, each on each: 29 of floats on three
/// results, 6 with two types of integers.
TEST(OperationsTest, OperationsMatchTheReferenceOnEachGpu) {
  constexpr const char *Processors[] = {"gfx90a", "gfx942", "gfx1030",
                                        "gfx1100", "gfx1201"};
  bool All = allAreAsked();
  unsigned Seen = 0;
  for (size_t P = 0; P < std::size(Processors); ++P) {
    std::unique_ptr<Backend> On = chooseBackend(Processors[P]);
    ASSERT_TRUE(On);
    for (size_t I = 0; I < EnumCount<ElementwiseOperation>; ++I) {
      auto Op = static_cast<ElementwiseOperation>(I);
      if (!All && (I % std::size(Processors) != P || isUnary(Op) || I % 3))
        continue;
      unsigned Results = isQuantised(Op) ? 2 : 3;
      for (unsigned R = 0; R < Results; ++R) {
        if (!All && R != I / std::size(Processors) % Results)
          continue;
        ConvCase Case = isQuantised(Op)
                            ? operationCase(Op, ConvDirection::FORWARD,
                                            R ? DataType::U8 : DataType::I8)
                            : operationCase(Op, static_cast<ConvDirection>(R),
                                            DataType::FP32);
        ASSERT_TRUE(Case.fill(static_cast<unsigned>(I)));
        ASSERT_NO_FATAL_FAILURE(
            check(*On, Case, makeAlgorithm(Kind::DIRECT), 4))
            << nameOf(Op) << " on " << Processors[P];
        ++Seen;
      }
    }
  }
  EXPECT_EQ(Seen, All ? (29U * 3 + 6 * 2) * 5 : 6U);
}

/// An instruction that multiplies tiles.
struct GemmRow {
  const char *Processor;
  DataType Type;
  Isa In;
  MNK Tile, Waves, Instr;
};

constexpr GemmRow GemmRows[] = {
    {"gfx90a", DataType::FP32, Isa::MFMA, {32, 32, 16}, {1, 1, 1}, {32, 32, 2}},
    {"gfx90a", DataType::FP32, Isa::MFMA, {32, 32, 16}, {2, 2, 1}, {16, 16, 4}},
    {"gfx90a", DataType::FP16, Isa::MFMA, {64, 64, 32}, {2, 2, 1}, {32, 32, 8}},
    {"gfx90a",
     DataType::FP16,
     Isa::MFMA,
     {64, 32, 16},
     {2, 1, 1},
     {16, 16, 16}},
    {"gfx90a", DataType::BF16, Isa::MFMA, {32, 64, 16}, {1, 2, 1}, {32, 32, 8}},
    {"gfx90a",
     DataType::BF16,
     Isa::MFMA,
     {32, 32, 16},
     {2, 2, 1},
     {16, 16, 16}},
    {"gfx90a", DataType::I8, Isa::MFMA, {32, 32, 16}, {1, 1, 1}, {32, 32, 8}},
    {"gfx90a", DataType::I8, Isa::MFMA, {16, 32, 16}, {1, 1, 1}, {16, 16, 16}},
    {"gfx90a", DataType::U8, Isa::MFMA, {32, 64, 16}, {1, 1, 1}, {32, 32, 8}},
    {"gfx90a", DataType::U8, Isa::MFMA, {32, 32, 32}, {2, 1, 1}, {16, 16, 16}},
    {"gfx942", DataType::FP32, Isa::MFMA, {32, 32, 16}, {1, 1, 1}, {32, 32, 2}},
    {"gfx942", DataType::FP16, Isa::MFMA, {64, 64, 32}, {2, 2, 1}, {32, 32, 8}},
    {"gfx942",
     DataType::BF16,
     Isa::MFMA,
     {32, 32, 16},
     {1, 2, 1},
     {16, 16, 16}},
    {"gfx942", DataType::I8, Isa::MFMA, {32, 32, 32}, {1, 1, 1}, {32, 32, 16}},
    {"gfx942", DataType::I8, Isa::MFMA, {32, 16, 32}, {2, 1, 1}, {16, 16, 32}},
    {"gfx942", DataType::FP8, Isa::MFMA, {32, 64, 32}, {1, 2, 1}, {32, 32, 16}},
    {"gfx942", DataType::FP8, Isa::MFMA, {32, 32, 32}, {2, 1, 1}, {16, 16, 32}},
    {"gfx942", DataType::U8, Isa::MFMA, {64, 32, 32}, {1, 1, 1}, {32, 32, 16}},
    {"gfx942", DataType::U8, Isa::MFMA, {32, 32, 32}, {1, 2, 1}, {16, 16, 32}},
    {"gfx1100",
     DataType::FP16,
     Isa::WMMA,
     {32, 32, 32},
     {2, 2, 1},
     {16, 16, 16}},
    {"gfx1100",
     DataType::BF16,
     Isa::WMMA,
     {32, 16, 16},
     {1, 1, 1},
     {16, 16, 16}},
    {"gfx1100", DataType::I8, Isa::WMMA, {16, 32, 16}, {1, 2, 1}, {16, 16, 16}},
    {"gfx1100", DataType::U8, Isa::WMMA, {16, 16, 32}, {1, 1, 1}, {16, 16, 16}},
    {"gfx1201",
     DataType::FP16,
     Isa::WMMA,
     {32, 32, 32},
     {2, 2, 1},
     {16, 16, 16}},
    {"gfx1201",
     DataType::BF16,
     Isa::WMMA,
     {32, 16, 16},
     {1, 1, 1},
     {16, 16, 16}},
    {"gfx1201", DataType::I8, Isa::WMMA, {16, 32, 16}, {1, 2, 1}, {16, 16, 16}},
    {"gfx1201", DataType::U8, Isa::WMMA, {16, 16, 32}, {1, 1, 1}, {16, 16, 16}},
    {"gfx1201",
     DataType::FP8,
     Isa::WMMA,
     {32, 32, 32},
     {2, 1, 1},
     {16, 16, 16}},
    {"cpu", DataType::FP32, Isa::VALU, {16, 16, 8}, {}, {}},
    {"gfx90a", DataType::FP16, Isa::VALU, {16, 16, 8}, {}, {}},
    {"gfx1030", DataType::FP32, Isa::VALU, {16, 16, 8}, {}, {}},
    {"gfx1030", DataType::FP16, Isa::VALU, {16, 16, 8}, {}, {}},
    {"gfx1030", DataType::I8, Isa::VALU, {16, 16, 8}, {}, {}},
    {"gfx90a", DataType::BF16, Isa::MFMA, {32, 32, 16}, {1, 1, 1}, {32, 32, 4}},
    {"gfx90a", DataType::BF16, Isa::MFMA, {16, 32, 16}, {1, 2, 1}, {16, 16, 8}},
};

Algorithm makeAlgorithm(const GemmRow &Row) {
  return makeGemm(Row.In, Row.Tile, {Row.Waves, Row.Instr});
}

/// Tiles that the result fills, and some that it does not, with a bias.
ConvCase gemmCase(DataType Type, ConvDirection Direction, int Dims) {
  ConvCase Case;
  Case.Sig.spatial_dim = Dims;
  Case.Sig.direction = Direction;
  Case.Sig.data_type = Type;
  Tensor *Tensors[] = {&Case.Sig.input, &Case.Sig.weight, &Case.Sig.output};
  Operation &Its = Tensors[Case.result()]->operation.make();
  Its.elementwise_operation = ElementwiseOperation::ADD_CLAMP;
  Its.auxiliary_operand_configs.push({.data_type = DataType::FP32});
  if (isInteger(Type))
    Tensors[Case.result()]->config.data_type = DataType::I32;
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  Case.P = {.groups = 2, .batch = 3, .c = 20, .k = 35};
  for (int D = 0; D < Dims; ++D) {
    Case.P.image.push(Dims == 1 ? 21 : Dims == 2 ? 6 : 3);
    Case.P.filter.push(Dims == 3 ? 2 : 3);
    Case.P.stride.push(D % 2 + 1);
    Case.P.pad.push({1, D});
  }
  return Case;
}

/// Instructions in one direction and dimension each, with
/// KPACK_CONV_COMPILED=all each in each.
TEST(GemmCompiledTest, InstructionsMatchTheReference) {
  bool All = allAreAsked();
  unsigned Seen = 0;
  for (size_t I = 0; I < std::size(GemmRows); ++I) {
    const GemmRow &Row = GemmRows[I];
    if (!isAsked(I, 4))
      continue;
    std::unique_ptr<Backend> On = chooseBackend(Row.Processor);
    ASSERT_TRUE(On);
    for (unsigned Which = 0; Which < 9; ++Which) {
      if (!All && Which != I % 9)
        continue;
      ConvCase Case = gemmCase(Row.Type, static_cast<ConvDirection>(Which % 3),
                               static_cast<int>(Which / 3) + 1);
      Case.Form = getForm(Row.Processor);
      // WMMA of gfx11 does not give 0 for 1 - 1.
      bool NoSigns = Row.In == Isa::WMMA &&
                     std::string_view(Row.Processor).starts_with("gfx11");
      ASSERT_TRUE(
          Case.fill(static_cast<unsigned>(I),
                    NoSigns ? TestNumbers::Naturals : TestNumbers::Integers));
      ASSERT_NO_FATAL_FAILURE(check(*On, Case, makeAlgorithm(Row)))
          << Row.Processor << " " << nameOf(Row.Type) << " " << nameOf(Row.In)
          << " " << Row.Instr.m << " " << Which;
      ++Seen;
    }
  }
  EXPECT_EQ(Seen, All ? std::size(GemmRows) * 9 : 9U);
}

/// What is left open is resolved: vectors, LDS and pipelines as users get them.
struct WholeRow {
  const char *Processor;
  DataType Type;
  ConvDirection Direction;
  const char *Algo;
};

constexpr WholeRow WholeRows[] = {
    {"gfx90a", DataType::FP16, ConvDirection::FORWARD, "{tile={m=64,n=64}}"},
    {"gfx90a", DataType::FP16, ConvDirection::FORWARD,
     "{tile={m=64,n=32,k=32},wave={waves={m=1,n=1}},a={load_vector=1}}"},
    {"gfx90a", DataType::FP32, ConvDirection::BACKWARD_WEIGHT,
     "{tile={m=32,n=64,k=16},wave={waves={m=1,n=1},instr={m=32}}}"},
    {"gfx942", DataType::BF16, ConvDirection::BACKWARD_DATA,
     "{tile={m=32,n=32,k=32},wave={waves={m=1,n=1},instr={m=16}},"
     "pipeline={version=V4},c={shuffle={m=2,n=2}}}"},
    {"gfx1100", DataType::FP16, ConvDirection::FORWARD,
     "{tile={m=32,n=32,k=32},wave={waves={m=1,n=1}},a={k_pack=4},"
     "pipeline={version=V1,double_lds=1}}"},
    {"gfx1201", DataType::I8, ConvDirection::FORWARD,
     "{tile={m=32,n=32,k=64},wave={waves={m=2,n=1}}}"},
    {"gfx1030", DataType::FP16, ConvDirection::BACKWARD_DATA,
     "{isa=VALU,tile={m=32,n=32,k=16},thread={m1=2,n1=2,k_per_thread=2},"
     "pipeline={version=V3}}"},
    {"gfx90a", DataType::FP16, ConvDirection::BACKWARD_WEIGHT,
     "{isa=DOT,tile={m=32,n=32,k=16},thread={m1=2,n1=2,k_per_thread=4}}"},
    {"gfx1201", DataType::BF16, ConvDirection::BACKWARD_DATA,
     "{isa=DOT,tile={m=32,n=64,k=16},thread={m1=2,n1=2}}"},
    {"gfx1030", DataType::I8, ConvDirection::FORWARD,
     "{isa=DOT,tile={m=32,n=32,k=16},thread={m1=2,n1=2}}"},
    {"gfx942", DataType::FP8, ConvDirection::FORWARD,
     "{tile={m=64,n=32,k=32},wave={waves={m=1,n=1}}}"},
    {"gfx942", DataType::FP8, ConvDirection::BACKWARD_DATA,
     "{tile={m=32,n=32,k=64},wave={waves={m=2,n=1},instr={m=16}},"
     "pipeline={version=V4}}"},
    {"gfx942", DataType::FP8, ConvDirection::BACKWARD_WEIGHT,
     "{tile={m=32,n=32,k=32},wave={waves={m=1,n=1}}}"},
    {"gfx1201", DataType::FP8, ConvDirection::FORWARD,
     "{tile={m=32,n=32,k=64}}"},
    {"gfx1201", DataType::FP8, ConvDirection::BACKWARD_DATA,
     "{tile={m=32,n=32,k=32},wave={waves={m=1,n=1}}}"},
    {"gfx1201", DataType::FP8, ConvDirection::BACKWARD_WEIGHT,
     "{tile={m=32,n=16,k=32},wave={waves={m=1,n=1}},pipeline={version=V1}}"},
    {"gfx942", DataType::U8, ConvDirection::FORWARD,
     "{isa=DOT,tile={m=32,n=32,k=16},thread={m1=2,n1=2}}"},
    {"gfx1100", DataType::U8, ConvDirection::FORWARD,
     "{isa=DOT,tile={m=32,n=32,k=16},thread={m1=2,n1=2}}"},
};

/// Of processors that none is emulated of: compiled, and no more.
constexpr WholeRow CompiledRows[] = {
    {"gfx908", DataType::BF16, ConvDirection::FORWARD, "{isa=MFMA}"},
    {"gfx908", DataType::BF16, ConvDirection::BACKWARD_DATA,
     "{tile={m=32,n=32},wave={waves={m=1,n=1},instr={m=16}}}"},
    {"gfx908", DataType::I8, ConvDirection::FORWARD, "{isa=MFMA}"},
#if CONV_TEST_LLVM >= 20 // clang 19 has no gfx950
    {"gfx950", DataType::FP16, ConvDirection::FORWARD, "{isa=MFMA}"},
    {"gfx950", DataType::FP16, ConvDirection::BACKWARD_WEIGHT,
     "{wave={instr={m=16,n=16,k=32}}}"},
    {"gfx950", DataType::BF16, ConvDirection::FORWARD, "{isa=MFMA}"},
    {"gfx950", DataType::BF16, ConvDirection::FORWARD,
     "{wave={instr={m=16,n=16,k=32}}}"},
    {"gfx950", DataType::I8, ConvDirection::FORWARD, "{isa=MFMA}"},
    // More LDS than any other has.
    {"gfx950", DataType::FP16, ConvDirection::FORWARD,
     "{tile={m=128,n=128,k=128},pipeline={version=V4}}"},
#endif
};

TEST(GemmCompiledTest, KernelsOfOtherGpusCompile) {
  for (size_t I = 0; I < std::size(CompiledRows); ++I) {
    const WholeRow &Row = CompiledRows[I];
    if (!isAsked(I, 8))
      continue;
    Signature Sig = gemmCase(Row.Type, Row.Direction, 2).Sig;
    Algorithm Partial;
    ASSERT_FALSE(parseText(Row.Algo, Partial).failed()) << Row.Algo;
    Resolved R = resolve(Sig, Partial, Row.Processor);
    ASSERT_TRUE(R.ok()) << R.Why.view();
    ASSERT_EQ(R.Algo.isa, Isa::MFMA);
    Result<ConvKernel> Kernel =
        ConvKernel::compile(R.Sig, R.Algo, Row.Processor, testOptions());
    ASSERT_TRUE(Kernel.ok())
        << Row.Processor << textOf(R.Algo).view() << Kernel.status().message();
    EXPECT_TRUE(Kernel->checkCode().ok()) << Kernel->checkCode().view();
    EXPECT_EQ(Kernel->code()->LdsBytes, ldsOf(R.Sig, R.Algo).total());
  }
}

TEST(GemmCompiledTest, VectorsAndPipelines) {
  for (size_t I = 0; I < std::size(WholeRows); ++I) {
    const WholeRow &Row = WholeRows[I];
    if (!isAsked(I, 5))
      continue;
    ConvCase Case = gemmCase(Row.Type, Row.Direction, 2);
    Case.Form = getForm(Row.Processor);
    Case.P.c = 16, Case.P.k = 48;
    Algorithm Partial;
    ASSERT_FALSE(parseText(Row.Algo, Partial).failed()) << Row.Algo;
    Resolved R = resolve(Case.Sig, Partial, Row.Processor, Case.P);
    ASSERT_TRUE(R.ok()) << R.Why.view();
    ASSERT_GT(R.Algo.a->load_vector * R.Algo.b->load_vector, 1);
    bool NoSigns = std::string_view(Row.Processor) == "gfx1100";
    ASSERT_TRUE(
        Case.fill(7, NoSigns ? TestNumbers::Naturals : TestNumbers::Integers));
    ASSERT_NO_FATAL_FAILURE(check(*chooseBackend(Row.Processor), Case, R.Algo))
        << Row.Processor << textOf(R.Algo).view();
  }
}

/// All bytes, where MFMA knows those with a sign: what is beside the image
/// counts as nothing, in sums in pieces, too.
TEST(GemmCompiledTest, BytesOfAnySign) {
  constexpr struct {
    const char *Processor;
    DataType Input, Weight;
    const char *Algo;
  } Rows[] = {
      {"gfx90a", DataType::U8, DataType::U8, "{tile={m=64,n=64,k=32}}"},
      {"gfx90a", DataType::U8, DataType::I8,
       "{tile={m=32,n=32,k=32},wave={waves={m=1,n=1},instr={m=16}}}"},
      {"gfx90a", DataType::I8, DataType::U8,
       "{tile={m=32,n=64,k=32},wave={waves={m=1,n=2}}}"},
      {"gfx942", DataType::U8, DataType::U8,
       "{tile={m=32,n=32,k=64},wave={waves={m=1,n=1},instr={m=16}},"
       "pipeline={version=V4}}"},
      {"gfx942", DataType::U8, DataType::I8,
       "{tile={m=64,n=32,k=32},wave={waves={m=1,n=1}},split={k_batch=3}}"},
      {"gfx942", DataType::I8, DataType::U8,
       "{tile={m=32,n=32,k=32},wave={waves={m=2,n=1},instr={m=16}}}"},
  };
  for (size_t I = 0; I < std::size(Rows); ++I) {
    const auto &Row = Rows[I];
    if (!isAsked(I, 4))
      continue;
    ConvCase Case = gemmCase(DataType::I8, ConvDirection::FORWARD, 2);
    Case.P.c = 16, Case.P.k = 48;
    Case.Sig.input.config.data_type = Case.Sig.input.config.compute_type =
        Row.Input;
    Case.Sig.weight.config.data_type = Case.Sig.weight.config.compute_type =
        Row.Weight;
    Case.Sig.output.operation = Operation();
    Case.Numbers = argsFor(Case.Sig);
    Algorithm Partial;
    ASSERT_FALSE(parseText(Row.Algo, Partial).failed()) << Row.Algo;
    Resolved R = resolve(Case.Sig, Partial, Row.Processor, Case.P);
    ASSERT_TRUE(R.ok()) << R.Why.view();
    ASSERT_EQ(R.Algo.isa, Isa::MFMA) << Row.Processor << Row.Algo;
    ASSERT_TRUE(Case.fill(11, TestNumbers::Random));
    ASSERT_NO_FATAL_FAILURE(check(*chooseBackend(Row.Processor), Case, R.Algo))
        << Row.Processor << textOf(R.Algo).view();
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, CompiledTest,
                         testing::Values("cpu", "gfx90a", "gfx942", "gfx1030",
                                         "gfx1100", "gfx1201"),
                         [](const auto &Info) {
                           return std::string(Info.param);
                         });

/// The section is a chain of well-formed notes; the description says what the
/// kernel was made of.
TEST(NoteTest, DescribesTheKernel) {
  Signature Sig =
      resolveSignature({.spatial_dim = 2, .data_type = DataType::FP16});
  Result<ConvKernel> Kernel = ConvKernel::compile(
      Sig, makeAlgorithm(Kind::DIRECT), "gfx90a", testOptions());
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
  std::string Texts =
      "kpack-conv 1\nkernel " + Kernel->symbol() + "\nsignature " +
      std::string(textOf(Sig, TextForm::Full).view()) + "\nalgorithm " +
      std::string(textOf(makeAlgorithm(Kind::DIRECT), TextForm::Full).view()) +
      "\nprocessor gfx90a\n";
  size_t Position = Kernel->image().find(Texts);
  ASSERT_NE(Position, std::string_view::npos);
  uint32_t Head[3];
  std::memcpy(Head, Kernel->image().data() + Position - 20, sizeof(Head));
  EXPECT_EQ(Head[0], 6U);
  EXPECT_EQ(Head[1], Texts.size() + 1);
  EXPECT_EQ(Head[2], ConvNoteType);
  EXPECT_EQ(Kernel->image().substr(Position - 8, 6),
            std::string_view("kpack\0", 6));
}

/// From compiled code back to the values: of each kind of kernel, and of the
/// CPU's, which are shared libraries in the cache.
TEST(NoteTest, IsReadBackFromTheCode) {
  for (const GemmRow &Row : {GemmRows[2], GemmRows[13]}) {
    Signature Sig = gemmCase(Row.Type, ConvDirection::FORWARD, 2).Sig;
    Result<ConvKernel> Kernel = ConvKernel::compile(
        Sig, makeAlgorithm(Row), Row.Processor, testOptions());
    ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
    Result<std::vector<KernelTraits>> All = traits(Kernel->image());
    ASSERT_TRUE(All.ok()) << All.status().message();
    ASSERT_EQ(All->size(), 1U);
    EXPECT_EQ(All->front().Symbol, Kernel->symbol());
    EXPECT_EQ(All->front().Sig, Sig);
    EXPECT_EQ(All->front().How, makeAlgorithm(Row));
    EXPECT_EQ(All->front().Made, Kernel->lowered());
    ASSERT_TRUE(All->front().Code);
    EXPECT_EQ(All->front().Code->Target.view(), Row.Processor);
    EXPECT_EQ(All->front().Code->LdsBytes, ldsBytes(Kernel->lowered()));
    EXPECT_GT(All->front().Code->Vgprs, 0);
  }
}

/// Of a kernel of each kind: no spills, no private memory, nor another
/// processor, or waves that do not fit.
TEST(CodeTest, MeetsItsRequirements) {
  Signature Sig = gemmCase(DataType::FP16, ConvDirection::FORWARD, 2).Sig;
  for (const Algorithm &Algo :
       {makeAlgorithm(Kind::DIRECT), makeAlgorithm(GemmRows[2])}) {
    Resolved R = resolve(Sig, Algo, "gfx90a");
    ASSERT_TRUE(R.ok()) << R.Why.view();
    Result<ConvKernel> Kernel =
        ConvKernel::compile(R.Sig, R.Algo, "gfx90a", testOptions());
    ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
    EXPECT_TRUE(Kernel->checkCode().ok()) << Kernel->checkCode().view();
    EXPECT_EQ(Kernel->measuredRegisters(), Kernel->code()->Vgprs);
    EXPECT_GT(Kernel->measuredRegisters(), 8);
  }
}

/// Of what is offered first for a layer of many channels: tiles as large as
/// registers allow, loaded ahead where there is room.
TEST(CodeTest, FirstCandidatesDoNotSpill) {
  struct {
    const char *Processor;
    DataType Type;
  } Rows[] = {{"gfx90a", DataType::BF16},
              {"gfx1030", DataType::FP16},
              {"gfx1100", DataType::FP16},
              {"gfx1201", DataType::FP16},
              {"gfx1201", DataType::I8}};
  Problem Layer{.batch = 32,
                .c = 128,
                .k = 128,
                .image = {28, 28},
                .filter = {3, 3},
                .pad = {{1, 1}, {1, 1}}};
  for (size_t I = 0; I < std::size(Rows); ++I) {
    const auto &Row = Rows[I];
    if (!isAsked(I, 5))
      continue;
    Signature Sig = gemmCase(Row.Type,
                             isInteger(Row.Type) ? ConvDirection::FORWARD
                                                 : ConvDirection::BACKWARD_DATA,
                             2)
                        .Sig;
    std::vector<Candidate> All = candidates(Sig, Layer, Row.Processor);
    ASSERT_FALSE(All.empty());
    const Algorithm &Algo = All.front().how;
    Result<ConvKernel> Kernel =
        ConvKernel::compile(Sig, Algo, Row.Processor, testOptions());
    ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
    // Of gfx90a's accumulators, clang 19 moves a few to memory.
    bool MaySpill =
        CONV_TEST_LLVM < 20 && Row.Processor == std::string_view("gfx90a");
    int MaxSpills = MaySpill ? 16 : 0;
    EXPECT_LE(Kernel->code()->VgprSpills, MaxSpills)
        << Row.Processor << textOf(Algo).view();
  }
}

/// Waves of another size than the kernel divides its work by give wrong
/// results: refused. Slow code is not.
TEST(CodeTest, WrongWaveSizeIsRefused) {
  Signature Sig =
      resolveSignature({.spatial_dim = 1, .data_type = DataType::FP32});
  Algorithm Algo = makeAlgorithm(Kind::DIRECT);
  jit::Options With = testOptions();
  With.flags.push_back("-mwavefrontsize64");
  Status Refused = ConvKernel::compile(Sig, Algo, "gfx1100", With).status();
  EXPECT_EQ(Refused.message(),
            "[R5] code.wave_size: 64 threads, and the algorithm divides its "
            "work by 32; compile it without -mwavefrontsize64 and "
            "-mno-wavefrontsize64");
  EXPECT_EQ(Refused.detail(), Errc::WrongIsa);
  With.flags.back() = "-O0";
  Result<ConvKernel> Slow = ConvKernel::compile(Sig, Algo, "gfx1100", With);
  ASSERT_TRUE(Slow.ok()) << Slow.status().message();
  EXPECT_TRUE(Slow->checkCode().has("R3")) << Slow->checkCode().view();
}

TEST(NoteTest, IsReadBackFromTheCache) {
  Signature Sig =
      resolveSignature({.spatial_dim = 1, .data_type = DataType::FP32});
  Algorithm Algo = makeAlgorithm(Kind::DIRECT);
  std::set<std::string> Processors;
  for (const char *Processor : {"cpu", "gfx1100"})
    ASSERT_TRUE(ConvKernel::compile(Sig, Algo, Processor, testOptions()).ok());
  for (const auto &File :
       std::filesystem::recursive_directory_iterator(testFolder())) {
    Result<std::string> Bytes = readFile(File.path());
    if (!Bytes || !Bytes->starts_with("\177ELF"))
      continue;
    Result<std::vector<KernelTraits>> All = traits(*Bytes);
    ASSERT_TRUE(All.ok()) << File.path() << All.status().message();
    if (All->front().Symbol == getSymbol(Sig, Algo))
      Processors.insert(All->front().Processor);
  }
  EXPECT_EQ(Processors, (std::set<std::string>{"cpu", "gfx1100"}));
}

TEST(EmitTest, HintsMakeNoOtherKernel) {
  Signature Sig =
      resolveSignature({.spatial_dim = 1, .data_type = DataType::FP32});
  Algorithm Algo = makeAlgorithm(Kind::DIRECT), Hinted = Algo, Other = Algo;
  Hinted.a.make().vector_dim = 3;
  Algo.a.make();
  Other.a.make().load_vector = 4;
  EXPECT_EQ(getSymbol(Sig, Algo), getSymbol(Sig, Hinted));
  EXPECT_NE(getSymbol(Sig, Algo), getSymbol(Sig, Other));
  Result<KernelSource> A = emit(Sig, Algo, "gfx90a");
  Result<KernelSource> B = emit(Sig, Hinted, "gfx90a");
  ASSERT_TRUE(A.ok() && B.ok());
  EXPECT_EQ(A->Text, B->Text);
  // A blob reads headers of kernels, and nothing else.
  for (const auto &[Name, Text] : A->Headers)
    for (size_t Position = 0;
         (Position = Text.find("#include", Position)) != Text.npos; ++Position)
      EXPECT_EQ(Text.substr(Position, 36),
                "#include \"kpack/ConvBuilder/kernels/")
          << Name;
}

/// What is compiled has no word that could read anything, nor a line that goes
/// on in the next one: the executor would ask what else there is. On a GPU it
/// has no view, operation or tile that the kernel does not use.
TEST(EmitTest, TextIsSelfContained) {
  Signature Sig =
      resolveSignature({.spatial_dim = 1, .data_type = DataType::FP32});
  Algorithm Tiled = makeAlgorithm(GemmRows[0]);
  for (const Algorithm &Algo :
       {makeAlgorithm(Kind::REFERENCE), makeAlgorithm(Kind::DIRECT), Tiled})
    for (const char *Processor : {"cpu", "gfx90a"}) {
      bool IsGpu = std::string_view(Processor) != "cpu";
      if (!IsGpu && Algo == Tiled)
        continue; // no matrix instructions there
      Result<KernelSource> Source = emit(Sig, Algo, Processor);
      ASSERT_TRUE(Source.ok()) << Source.status().message();
      std::string Text = makeOneText(*Source, IsGpu);
      for (const char *Word : {"include", "embed", "import", "module",
                               "dependency", "incbin", "\\\n", "//"})
        EXPECT_EQ(Text.find(Word), Text.npos) << Word << " " << Processor;
      for (const char *Word : {"struct BackwardWeight", "exactErfc"})
        EXPECT_EQ(Text.find(Word) == Text.npos, IsGpu) << Word;
      EXPECT_EQ(Text.find("struct MatrixTile") != Text.npos, Algo == Tiled);
      EXPECT_NE(Text.find("struct Forward"), Text.npos);
    }
}

} // namespace
