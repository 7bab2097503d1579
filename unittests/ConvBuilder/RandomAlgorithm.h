//===- RandomAlgorithm.h - random valid signatures, algorithms --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random signatures that are valid, algorithms of which some parts are given,
// and problems of them. RandomValue.h has values that are hardly ever any of
// these.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_RANDOMALGORITHM_H
#define KPACK_UNITTESTS_CONVBUILDER_RANDOMALGORITHM_H

#include "kpack/ConvBuilder/Algorithm.h"
#include "kpack/ConvBuilder/Layouts.h"
#include "kpack/ConvBuilder/Problem.h"
#include "kpack/ConvBuilder/ResolveSignature.h"

#include <random>

namespace kpack::conv {

class RandomAlgorithm {
public:
  explicit RandomAlgorithm(unsigned Seed) : Random(Seed) {}

  unsigned below(unsigned End) {
    return std::uniform_int_distribution<unsigned>(0, End - 1)(Random);
  }

  Signature signature() {
    Signature Sig;
    Sig.spatial_dim = static_cast<int>(1 + below(3));
    Sig.data_type = any({DataType::FP32, DataType::FP16, DataType::BF16,
                         DataType::FP8, DataType::I8, DataType::U8});
    bool IsInteger = isInteger(Sig.data_type);
    if (!IsInteger)
      Sig.direction = any({ConvDirection::FORWARD, ConvDirection::BACKWARD_DATA,
                           ConvDirection::BACKWARD_WEIGHT});
    Sig.input.config.layout = layout(Role::Input, Sig.spatial_dim);
    Sig.weight.config.layout = layout(Role::Weight, Sig.spatial_dim);
    Sig.output.config.layout = layout(Role::Output, Sig.spatial_dim);
    Tensor &Result = Sig.direction == ConvDirection::FORWARD ? Sig.output
                     : Sig.direction == ConvDirection::BACKWARD_DATA
                         ? Sig.input
                         : Sig.weight;
    ElementwiseOperation Op =
        any({ElementwiseOperation::PASS_THROUGH, ElementwiseOperation::RELU,
             ElementwiseOperation::SCALE, ElementwiseOperation::ADD_CLAMP});
    if (IsInteger && below(2))
      Op = ElementwiseOperation::ADD_ACTIVATION_MUL_CLAMP;
    Result.operation.make().elementwise_operation = Op;
    for (unsigned I = 0; I < auxiliaryCount(Op); ++I)
      Result.operation->auxiliary_operand_configs.push({});
    if (!isQuantised(Op) && below(4) == 0)
      Result.config.data_type = IsInteger ? DataType::I32 : DataType::FP32;
    return Sig;
  }

  /// Each part is given seldom, and with numbers that kernels have.
  Algorithm partial() {
    Algorithm Algo;
    if (below(2))
      Algo.kind = any({Kind::REFERENCE, Kind::DIRECT, Kind::IMPLICIT_GEMM,
                       Kind::IMPLICIT_GEMM, Kind::DEPTHWISE});
    if (below(4) == 0)
      Algo.isa = any({Isa::VALU, Isa::DOT, Isa::MFMA, Isa::WMMA});
    if (below(4) == 0)
      Algo.block_size = any({64, 128, 256, 512});
    if (Algo.kind != Kind::IMPLICIT_GEMM && below(4))
      return Algo;
    if (below(3) == 0)
      Algo.tile = MNK{side(), side(), any({0, 16, 32, 64})};
    if (below(5) == 0)
      Algo.wave = WaveTile{{few(), few(), few()},
                           {any({0, 16, 32}), any({0, 16, 32}), 0}};
    if (below(6) == 0)
      Algo.a = operand();
    if (below(6) == 0)
      Algo.b = operand();
    if (below(6) == 0)
      Algo.c.make().store_vector = any({0, 1, 2, 4});
    if (below(4) == 0)
      Algo.pipeline.make().version =
          any({PipelineVersion::V1, PipelineVersion::V3, PipelineVersion::V4});
    if (below(6) == 0) {
      Algo.split.make().k_batch = any({0, 1, 2, 8});
      Algo.split->two_stage = below(2);
    }
    if (below(8) == 0)
      Algo.thread.make().m1 = any({1, 2, 4});
    if (below(8) == 0)
      Algo.padding = Padding{true, true, true, false};
    if (below(10) == 0)
      Algo.depthwise.make().tile = HW{8, 32};
    return Algo;
  }

  Problem problem(const Signature &Sig) {
    Problem P;
    P.groups = any({1, 1, 2, 32});
    P.batch = any({1, 2, 32});
    P.c = any({1, 3, 4, 64, 72});
    P.k = any({1, 2, 8, 64, 70});
    for (int I = 0; I < Sig.spatial_dim; ++I) {
      P.image.push(any({7, 8, 14, 56}));
      P.filter.push(any({1, 3, 5}));
    }
    for (Role TensorRole : {Role::Input, Role::Weight, Role::Output}) {
      const LayoutFacts &Facts =
          factsOf(TensorRole == Role::Input    ? Sig.input.config.layout
                  : TensorRole == Role::Weight ? Sig.weight.config.layout
                                               : Sig.output.config.layout);
      Strides &S = TensorRole == Role::Input    ? P.input_strides
                   : TensorRole == Role::Weight ? P.weight_strides
                                                : P.output_strides;
      // Packed, in the order of the letters.
      long long Stride = 1ll << 40;
      for (unsigned I = 0; Facts.Strided && I < Facts.Count; ++I) {
        S.push(I + 1 == Facts.Count ? 1 : Stride);
        Stride >>= 7;
      }
    }
    return P;
  }

private:
  template <typename T> T any(std::initializer_list<T> Values) {
    return Values.begin()[below(static_cast<unsigned>(Values.size()))];
  }
  int side() { return any({0, 0, 16, 32, 64, 128, 96}); }
  int few() { return any({0, 0, 1, 2, 4}); }
  Operand operand() {
    Operand Way;
    Way.load_vector = any({0, 0, 1, 2, 8});
    Way.lds_pad = any({0, 0, 4, 8});
    Way.k_pack = any({0, 0, 4, 8});
    return Way;
  }
  TensorLayout layout(Role TensorRole, int Dims) {
    for (;;) {
      auto Layout = static_cast<TensorLayout>(below(EnumCount<TensorLayout>));
      const LayoutFacts &Facts = factsOf(Layout);
      if (Facts.Of == TensorRole && Facts.SpatialDim == Dims)
        return Layout;
    }
  }

  std::mt19937 Random;
};

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_RANDOMALGORITHM_H
