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
  return tensorOfA(Sig).config.compute_type;
}
constexpr DataType productTypeOfB(const Signature &Sig) {
  return tensorOfB(Sig).config.compute_type;
}

/// The types that the instructions for a signature have.
struct ProductTypes {
  DataType A, B, Sum;
  bool AreBytes; ///< both operands

  constexpr ProductTypes(DataType A, DataType B, DataType Sum)
      : A(A), B(B), Sum(Sum), AreBytes(isEightBit(A) && isEightBit(B)) {}
  constexpr explicit ProductTypes(const Signature &Sig)
      : ProductTypes(productTypeOfA(Sig), productTypeOfB(Sig),
                     Sig.accumulation_data_type) {}
};

/// Whether a kernel multiplies operands of these compute types by \p I. MFMA
/// knows bytes with a sign only, and gets others less 128, which sums are
/// corrected for (kernels/unsigned.h).
constexpr bool multiplies(const Instruction &I, const ProductTypes &Types) {
  if (I.Sum != Types.Sum)
    return false;
  if (Types.AreBytes &&
      (I.takesAnySign() || (I.Of == Isa::MFMA && I.Operand == DataType::I8)))
    return true;
  return I.Operand == Types.A && Types.A == Types.B;
}
constexpr bool multiplies(const Instruction &I, DataType A, DataType B,
                          DataType Sum) {
  return multiplies(I, ProductTypes(A, B, Sum));
}

/// Whether it is one of \p Of for a resolved signature, on \p Gpu; on any
/// processor, where that is null.
constexpr bool isUsable(const Instruction &I, Isa Of, const ProductTypes &Types,
                        const Processor *Gpu) {
  // Before calls: what most instructions are not.
  return I.Of == Of && I.Sum == Types.Sum &&
         (I.Operand == Types.A || Types.AreBytes) && multiplies(I, Types) &&
         (Gpu ? Gpu->has(I) : I.isAnywhere());
}
constexpr bool isUsable(const Instruction &I, Isa Of, const Signature &Sig,
                        const Processor *Gpu) {
  return isUsable(I, Of, ProductTypes(Sig), Gpu);
}

/// Whether IMPLICIT_GEMM can multiply the signature's types by these.
constexpr bool canMultiply(Isa Of, const Signature &Sig, const Processor *Gpu) {
  if (Of == Isa::VALU)
    return productTypeOfA(Sig) != DataType::FP8 &&
           Sig.accumulation_data_type != DataType::FP64;
  ProductTypes Types(Sig);
  for (const Instruction &I : Instructions)
    if (I.Of == Of && isUsable(I, Of, Types, Gpu))
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
