//===- kpack/ConvBuilder/KernelConfig.h - integers as types -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a blob says in text (Emit.h), for kernels that are instantiated: a type
// for a Lowered whose members are Number<N>, as kernels/*.h read them, and the
// integers themselves one after another, which are the arguments of the
// kernel's template. So the name of a kernel in a program has numbers, not
// structs, and two descriptors with one lowering are one kernel.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_KERNELCONFIG_H
#define KPACK_CONVBUILDER_KERNELCONFIG_H

#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/kernels/types.h"

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
  static constexpr device::Number<From.vector> vector{};
  static constexpr device::Number<From.by_lines> by_lines{};
  static constexpr device::Number<From.loads> loads{};
  static constexpr device::Number<From.lds_vector> lds_vector{};
  static constexpr device::Number<From.lds_pad> lds_pad{};
};

template <Lowered From> struct KernelConfig {
  static constexpr device::Number<From.kind> kind{};
  static constexpr device::Number<From.direction> direction{};
  static constexpr device::Number<From.accumulation> accumulation{};
  static constexpr device::Number<From.fnuz> fnuz{};
  static constexpr device::Number<From.channels_last> channels_last{};
  static constexpr device::Number<From.index64> index64{};
  static constexpr device::Number<From.block_size> block_size{};
  static constexpr device::Number<From.instruction> instruction{};
  static constexpr device::Number<From.tile_m> tile_m{};
  static constexpr device::Number<From.tile_n> tile_n{};
  static constexpr device::Number<From.tile_k> tile_k{};
  static constexpr device::Number<From.thread_m> thread_m{};
  static constexpr device::Number<From.thread_n> thread_n{};
  static constexpr device::Number<From.thread_k> thread_k{};
  static constexpr device::Number<From.threads_m> threads_m{};
  static constexpr device::Number<From.threads_n> threads_n{};
  static constexpr device::Number<From.wave_m> wave_m{};
  static constexpr device::Number<From.wave_n> wave_n{};
  static constexpr device::Number<From.pad_m> pad_m{};
  static constexpr device::Number<From.pad_n> pad_n{};
  static constexpr device::Number<From.pad_k> pad_k{};
  static constexpr device::Number<From.prefetch> prefetch{};
  static constexpr device::Number<From.buffers> buffers{};
  static constexpr device::Number<From.through_lds> through_lds{};
  static constexpr device::Number<From.store_vector> store_vector{};
  static constexpr device::Number<From.shuffle_m> shuffle_m{};
  static constexpr device::Number<From.shuffle_n> shuffle_n{};
  static constexpr device::Number<From.split> split{};
  static constexpr device::Number<From.k_batch> k_batch{};
  static constexpr device::Number<From.images> images{};
  static constexpr device::Number<From.in_vector> in_vector{};
  static constexpr device::Number<From.out_vector> out_vector{};
  static constexpr device::Number<From.filter_h> filter_h{};
  static constexpr device::Number<From.filter_w> filter_w{};
  static constexpr device::Number<From.stride_h> stride_h{};
  static constexpr device::Number<From.stride_w> stride_w{};
  static constexpr device::Number<From.dilation_h> dilation_h{};
  static constexpr device::Number<From.dilation_w> dilation_w{};
  static constexpr device::Number<From.pad_h> pad_h{};
  static constexpr device::Number<From.pad_w> pad_w{};
  static constexpr OperandConfig<From.a> a{};
  static constexpr OperandConfig<From.b> b{};
  static constexpr TensorConfigOf<From.input> input{};
  static constexpr TensorConfigOf<From.weight> weight{};
  static constexpr TensorConfigOf<From.output> output{};
};

/// Calls \p Each for every integer of \p From, in the order of the fields.
constexpr void forEachNumber(int &From, auto &&Each) { Each(From); }
template <Fielded T> constexpr void forEachNumber(T &From, auto &&Each) {
  forEachField<T>(
      [&](auto Member, const Field &) { forEachNumber(From.*Member, Each); });
}

inline constexpr int MostNumbers = sizeof(Lowered) / sizeof(int);

/// The integers of a Lowered, without zeros at the end.
struct NumberList {
  int Of[MostNumbers] = {};
  int Count = 0;

  constexpr explicit NumberList(Lowered From) {
    int At = 0;
    forEachNumber(From, [&](int Number) {
      Of[At++] = Number;
      if (Number != 0)
        Count = At;
    });
  }
};

/// The Lowered that \p Numbers are of.
template <int... Numbers> constexpr Lowered loweredOfNumbers() {
  constexpr int All[] = {Numbers..., 0};
  Lowered To;
  unsigned At = 0;
  forEachNumber(To, [&](int &Number) {
    Number = At < sizeof...(Numbers) ? All[At] : 0;
    ++At;
  });
  return To;
}

} // namespace kpack::conv::detail

#endif // KPACK_CONVBUILDER_KERNELCONFIG_H
