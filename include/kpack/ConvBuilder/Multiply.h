//===- kpack/ConvBuilder/Multiply.h - who can multiply what -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which instructions of a processor multiply the types of a signature. It is
// what requirements refuse by (A3, A4) and what resolve() chooses from.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_MULTIPLY_H
#define KPACK_CONVBUILDER_MULTIPLY_H

#include "kpack/ConvBuilder/Capabilities.h"
#include "kpack/ConvBuilder/Product.h"

namespace kpack::conv {

/// Every isa but AUTO, the fastest first.
inline constexpr Isa RealIsas[] = {Isa::MFMA, Isa::WMMA, Isa::DOT, Isa::VALU};

/// Whether matrix instructions multiply: what waves do is in the part wave, not
/// in thread.
constexpr bool usesMatrix(Isa Of) { return Of == Isa::MFMA || Of == Isa::WMMA; }

/// The types that the two operands are multiplied in.
constexpr DataType productTypeOfA(const Signature &Sig) {
  return tensorOf(Sig, roleOfA(Sig.direction)).config.compute_type;
}
constexpr DataType productTypeOfB(const Signature &Sig) {
  return tensorOf(Sig, roleOfB(Sig.direction)).config.compute_type;
}

/// Whether a kernel multiplies operands of these compute types by \p I. MFMA
/// knows bytes with a sign only, and gets others less 128, which sums are
/// corrected for (kernels/unsigned.h).
constexpr bool multiplies(const Instruction &I, DataType A, DataType B,
                          DataType Sum) {
  if (I.Sum != Sum)
    return false;
  if (isEightBit(A) && isEightBit(B) &&
      (I.takesAnySign() || (I.Of == Isa::MFMA && I.Operand == DataType::I8)))
    return true;
  return I.Operand == A && A == B;
}

/// Whether it is one of \p Of for a resolved signature, on \p Gpu; on any
/// processor, where that is null.
constexpr bool isUsable(const Instruction &I, Isa Of, const Signature &Sig,
                        const Processor *Gpu) {
  return I.Of == Of &&
         multiplies(I, productTypeOfA(Sig), productTypeOfB(Sig),
                    Sig.accumulation_data_type) &&
         (Gpu ? Gpu->has(I) : I.isAnywhere());
}

/// Whether IMPLICIT_GEMM can multiply the signature's types by these.
constexpr bool canMultiply(Isa Of, const Signature &Sig, const Processor *Gpu) {
  if (Of == Isa::VALU)
    return productTypeOfA(Sig) != DataType::FP8 &&
           Sig.accumulation_data_type != DataType::FP64;
  for (const Instruction &I : Instructions)
    if (isUsable(I, Of, Sig, Gpu))
      return true;
  return false;
}

/// Whether an algorithm can have this isa: where it says AUTO, each one that
/// the parts that it has are for.
constexpr bool canBe(Isa Of, const Algorithm &Algo) {
  if (Algo.isa != Isa::AUTO)
    return Algo.isa == Of;
  return !(Algo.wave && !usesMatrix(Of)) && !(Algo.thread && usesMatrix(Of));
}

/// Whether any isa of \p Gpu does.
constexpr bool canMultiply(const Algorithm &Algo, const Signature &Sig,
                           const Processor *Gpu) {
  for (Isa Of : RealIsas)
    if (canBe(Of, Algo) && canMultiply(Of, Sig, Gpu))
      return true;
  return false;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_MULTIPLY_H
