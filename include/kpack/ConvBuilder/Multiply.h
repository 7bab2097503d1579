//===- Multiply.h - instructions that multiply given types ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells which instructions of a processor multiply the types of a signature.
// Requirements refuse by it (A3, A4), and resolve() chooses by it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_MULTIPLY_H
#define KPACK_CONVBUILDER_MULTIPLY_H

#include "kpack/ConvBuilder/Capabilities.h"
#include "kpack/ConvBuilder/Product.h"

namespace kpack::conv {

/// Every isa except AUTO, the fastest first.
inline constexpr Isa RealIsas[] = {Isa::MFMA, Isa::WMMA, Isa::DOT, Isa::VALU};

/// True for matrix instructions. Their algorithms have the part wave, others
/// the part thread.
constexpr bool usesMatrix(Isa IsaKind) {
  return IsaKind == Isa::MFMA || IsaKind == Isa::WMMA;
}

/// Return the types in which the operands are multiplied.
constexpr DataType productTypeOfA(const Signature &Sig) {
  return tensorOfA(Sig).config.compute_type;
}
constexpr DataType productTypeOfB(const Signature &Sig) {
  return tensorOfB(Sig).config.compute_type;
}

/// The types of an instruction for a signature.
struct ProductTypes {
  DataType A, B, Sum;
  bool AreBytes; ///< both operands are 8-bit integers

  constexpr ProductTypes(DataType A, DataType B, DataType Sum)
      : A(A), B(B), Sum(Sum), AreBytes(isEightBit(A) && isEightBit(B)) {}
  constexpr explicit ProductTypes(const Signature &Sig)
      : ProductTypes(productTypeOfA(Sig), productTypeOfB(Sig),
                     Sig.accumulation_data_type) {}
};

/// True if a kernel can multiply operands of these compute types with \p I.
/// MFMA only has signed bytes; unsigned bytes are passed less 128, and sums are
/// corrected (kernels/unsigned.h).
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

/// True if it is an instruction of \p IsaKind for a resolved signature on \p
/// Gpu; on any processor, if \p Gpu is null.
constexpr bool isUsable(const Instruction &I, Isa IsaKind,
                        const ProductTypes &Types, const Processor *Gpu) {
  // Tests that exclude most instructions come before calls.
  return I.Of == IsaKind && I.Sum == Types.Sum &&
         (I.Operand == Types.A || Types.AreBytes) && multiplies(I, Types) &&
         (Gpu ? Gpu->has(I) : I.isAnywhere());
}
constexpr bool isUsable(const Instruction &I, Isa IsaKind, const Signature &Sig,
                        const Processor *Gpu) {
  return isUsable(I, IsaKind, ProductTypes(Sig), Gpu);
}

/// True if IMPLICIT_GEMM can multiply the signature's types with this isa.
constexpr bool canMultiply(Isa IsaKind, const Signature &Sig,
                           const Processor *Gpu) {
  if (IsaKind == Isa::VALU)
    return productTypeOfA(Sig) != DataType::FP8 &&
           Sig.accumulation_data_type != DataType::FP64;
  ProductTypes Types(Sig);
  for (const Instruction &I : Instructions)
    if (I.Of == IsaKind && isUsable(I, IsaKind, Types, Gpu))
      return true;
  return false;
}

/// True if the algorithm can have this isa. AUTO can be any isa that its parts
/// are for.
constexpr bool canBe(Isa IsaKind, const Algorithm &Algo) {
  if (Algo.isa != Isa::AUTO)
    return Algo.isa == IsaKind;
  return !(Algo.wave && !usesMatrix(IsaKind)) &&
         !(Algo.thread && usesMatrix(IsaKind));
}

/// True if any isa of \p Gpu can.
constexpr bool canMultiply(const Algorithm &Algo, const Signature &Sig,
                           const Processor *Gpu) {
  for (Isa IsaKind : RealIsas)
    if (canBe(IsaKind, Algo) && canMultiply(IsaKind, Sig, Gpu))
      return true;
  return false;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_MULTIPLY_H
