//===- ScalarTemplates.h - scalar handlers from lambdas ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scalar operation is a lambda over numbers. The types of its parameters
// determine how operands are read, and a last parameter `bool &Scc` gives it
// the condition code. Used by ScalarAlu.cpp, ScalarBits.cpp, ScalarMasks.cpp
// and ScalarFloat.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_SCALAR_SCALARTEMPLATES_H
#define KPACK_LIB_SOFTGPU_MACHINE_SCALAR_SCALARTEMPLATES_H

#include "SoftGpu/Machine/Lanes/Lanes.h"
#include "SoftGpu/Machine/Opcodes.h"
#include <type_traits>
#include <utility>

namespace kpack::softgpu::scalar {

using U16 = uint16_t;
using I16 = int16_t;
using U32 = uint32_t;
using I32 = int32_t;
using U64 = uint64_t;
using I64 = int64_t;

inline uint32_t read32(const Wave &W, const Operand &O) {
  return O.What == Operand::Kind::Sgpr ? W.Scalars[O.Index]
                                       : scalarBits32(W, O);
}

/// Literals are zero-extended for unsigned and untyped operands, sign-extended
/// for signed ones (ISA manuals, "Literal constants").
template <typename T> T readAs(const Wave &W, const Operand &O) {
  if constexpr (sizeof(T) == 4)
    return T(read32(W, O));
  else if constexpr (std::is_signed_v<T>)
    return O.Literal ? T(int32_t(O.Value)) : T(scalarBits64(W, O));
  else
    return scalarBits64(W, O);
}

template <typename T> void write(Wave &W, const Operand &O, T Value) {
  if constexpr (sizeof(T) == 8)
    writeScalar64(W, O, uint64_t(Value));
  else
    writeScalar32(W, O, uint32_t(Value));
}

/// Returns argument number \p N of an operation.
template <typename T>
decltype(auto) argument(Wave &W, const Instruction &I, unsigned N) {
  if constexpr (std::is_same_v<T, bool &>)
    return (W.Scc);
  else
    return readAs<T>(W, I.Operands[N]);
}

template <auto F, unsigned First, typename R, typename C, typename... Args,
          size_t... N>
R callOperation(Wave &W, const Instruction &I, R (C::*)(Args...) const,
                std::index_sequence<N...>) {
  return F(argument<Args>(W, I, First + N)...);
}

template <typename R, typename C, typename... Args>
constexpr size_t argumentCount(R (C::*)(Args...) const) {
  return sizeof...(Args);
}

/// Returns \p F of the operands from \p First on.
template <auto F, unsigned First> auto operate(Wave &W, const Instruction &I) {
  constexpr auto Call = &decltype(F)::operator();
  return callOperation<F, First>(
      W, I, Call, std::make_index_sequence<argumentCount(Call)>());
}

/// Destination = F(sources).
template <auto F> void alu(Wave &W, const Instruction &I) {
  write(W, I.Operands[0], operate<F, 1>(W, I));
}

/// Destination = F(sources); SCC = result is not zero.
template <auto F> void aluNonZero(Wave &W, const Instruction &I) {
  auto Result = operate<F, 1>(W, I);
  write(W, I.Operands[0], Result);
  W.Scc = Result != 0;
}

/// Destination = F(destination, sources).
template <auto F> void update(Wave &W, const Instruction &I) {
  write(W, I.Operands[0], operate<F, 0>(W, I));
}

/// SCC = F(sources), without a destination.
template <auto F> void compare(Wave &W, const Instruction &I) {
  W.Scc = operate<F, 0>(W, I);
}

/// Bitwise operations of both widths.
template <typename T> struct Logic {
  static constexpr auto And = [](T A, T B) { return T(A & B); };
  static constexpr auto Or = [](T A, T B) { return T(A | B); };
  static constexpr auto Xor = [](T A, T B) { return T(A ^ B); };
  static constexpr auto AndNot1 = [](T A, T B) { return T(A & ~B); };
  static constexpr auto OrNot1 = [](T A, T B) { return T(A | ~B); };
  static constexpr auto AndNot0 = [](T A, T B) { return T(~A & B); };
  static constexpr auto OrNot0 = [](T A, T B) { return T(~A | B); };
  static constexpr auto Nand = [](T A, T B) { return T(~(A & B)); };
  static constexpr auto Nor = [](T A, T B) { return T(~(A | B)); };
  static constexpr auto Xnor = [](T A, T B) { return T(~(A ^ B)); };
};

} // namespace kpack::softgpu::scalar

#endif // KPACK_LIB_SOFTGPU_MACHINE_SCALAR_SCALARTEMPLATES_H
