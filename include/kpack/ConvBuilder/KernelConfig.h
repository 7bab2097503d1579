//===- KernelConfig.h - kernel integers as template arguments ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a blob (Emit.h) for kernels that are template instances: a type
// whose constants are the members of a Lowered, for the kernel headers, and the
// list of its integers, which are the arguments of the kernel's template. So
// the symbol of a kernel contains numbers and no structs, and descriptors with
// the same lowering share one kernel.
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_KERNELCONFIG_H
#define KPACK_CONVBUILDER_KERNELCONFIG_H

#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/kernels/shared.h"

namespace kpack::conv::detail {

template <LoweredAuxiliary From> struct AuxiliaryConfig {
  static constexpr device::Number<From.type> type{};
  static constexpr device::Number<From.compute> compute{};
  static constexpr device::Number<From.operation> operation{};
};

template <LoweredTensor From> struct TensorConfigOf {
  static constexpr device::Number<From.type> type{};
  static constexpr device::Number<From.compute> compute{};
  static constexpr device::Number<From.operation> operation{};
  static constexpr device::Number<From.activation> activation{};
  static constexpr device::Number<From.chain0> chain0{};
  static constexpr device::Number<From.chain1> chain1{};
  static constexpr device::Number<From.chain2> chain2{};
  static constexpr device::Number<From.chain3> chain3{};
  static constexpr device::Number<From.auxiliary_count> auxiliary_count{};
  static constexpr AuxiliaryConfig<From.auxiliary0> auxiliary0{};
  static constexpr AuxiliaryConfig<From.auxiliary1> auxiliary1{};
  static constexpr AuxiliaryConfig<From.auxiliary2> auxiliary2{};
  static constexpr AuxiliaryConfig<From.auxiliary3> auxiliary3{};
  static constexpr AuxiliaryConfig<From.auxiliary4> auxiliary4{};
};

template <LoweredOperand From> struct OperandConfig {
  static constexpr int vector = From.vector;
  static constexpr int by_lines = From.by_lines;
  static constexpr int loads = From.loads;
  static constexpr int lds_vector = From.lds_vector;
  static constexpr int lds_pad = From.lds_pad;
};

template <Lowered From> struct KernelConfig {
  static constexpr int kind = From.kind;
  static constexpr int direction = From.direction;
  static constexpr int spatial_dim = From.spatial_dim;
  static constexpr int accumulation = From.accumulation;
  static constexpr device::Number<From.fnuz> fnuz{};
  static constexpr int channels_last = From.channels_last;
  static constexpr int index64 = From.index64;
  static constexpr int by_images = From.by_images;
  static constexpr int block_size = From.block_size;
  static constexpr int instruction = From.instruction;
  static constexpr int tile_m = From.tile_m;
  static constexpr int tile_n = From.tile_n;
  static constexpr int tile_k = From.tile_k;
  static constexpr int thread_m = From.thread_m;
  static constexpr int thread_n = From.thread_n;
  static constexpr int thread_k = From.thread_k;
  static constexpr int threads_m = From.threads_m;
  static constexpr int threads_n = From.threads_n;
  static constexpr int wave_m = From.wave_m;
  static constexpr int wave_n = From.wave_n;
  static constexpr int pad_m = From.pad_m;
  static constexpr int pad_n = From.pad_n;
  static constexpr int pad_k = From.pad_k;
  static constexpr int prefetch = From.prefetch;
  static constexpr int buffers = From.buffers;
  static constexpr int through_lds = From.through_lds;
  static constexpr int store_vector = From.store_vector;
  static constexpr int shuffle_m = From.shuffle_m;
  static constexpr int shuffle_n = From.shuffle_n;
  static constexpr int split = From.split;
  static constexpr int k_batch = From.k_batch;
  static constexpr int groups_merge = From.groups_merge;
  static constexpr int resident = From.resident;
  static constexpr int persistent = From.persistent;
  static constexpr int in_pairs = From.in_pairs;
  static constexpr int images = From.images;
  static constexpr int in_vector = From.in_vector;
  static constexpr int out_vector = From.out_vector;
  static constexpr int filter_h = From.filter_h;
  static constexpr int filter_w = From.filter_w;
  static constexpr int stride_h = From.stride_h;
  static constexpr int stride_w = From.stride_w;
  static constexpr int dilation_h = From.dilation_h;
  static constexpr int dilation_w = From.dilation_w;
  static constexpr int pad_h = From.pad_h;
  static constexpr int pad_w = From.pad_w;
  static constexpr OperandConfig<From.a> a{};
  static constexpr OperandConfig<From.b> b{};
  static constexpr TensorConfigOf<From.input> input{};
  static constexpr TensorConfigOf<From.weight> weight{};
  static constexpr TensorConfigOf<From.output> output{};
};

/// Calls \p Each for every integer of \p Value, in the order of the fields.
constexpr void forEachNumber(int &Value, auto &&Each) { Each(Value); }
template <Fielded Type> constexpr void forEachNumber(Type &Value, auto &&Each) {
  forEachField<Type>(
      [&](auto Member, const Field &) { forEachNumber(Value.*Member, Each); });
}

inline constexpr int MostNumbers = sizeof(Lowered) / sizeof(int);

/// The integers of a Lowered, without trailing zeros.
struct NumberList {
  int Of[MostNumbers] = {};
  int Count = 0;

  constexpr explicit NumberList(Lowered Values) {
    int Index = 0;
    forEachNumber(Values, [&](int Value) {
      Of[Index++] = Value;
      if (Value != 0)
        Count = Index;
    });
  }
};

/// Returns the Lowered of \p Numbers.
template <int... Numbers> constexpr Lowered loweredOfNumbers() {
  constexpr int All[] = {Numbers..., 0};
  Lowered Result;
  unsigned Index = 0;
  forEachNumber(Result, [&](int &Value) {
    Value = Index < sizeof...(Numbers) ? All[Index] : 0;
    ++Index;
  });
  return Result;
}

} // namespace kpack::conv::detail

#endif // KPACK_CONVBUILDER_KERNELCONFIG_H
