//===- kpack/ConvBuilder/Requirements/OfInstructions.h - A ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether the processor has the instructions that an algorithm asks for, and
// for these types. A compiler that is asked for others dies.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFINSTRUCTIONS_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFINSTRUCTIONS_H

#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv {

/// Whether \p I multiplies operands of these compute types. Integers without a
/// sign are multiplied by MFMA with 128 taken off, which is corrected in sums.
constexpr bool multiplies(const Instruction &I, DataType A, DataType B,
                          DataType Sum) {
  if (I.Sum != Sum)
    return false;
  if (isEightBit(A) && isEightBit(B))
    return I.takesAnySign() ||
           (I.Of == Isa::MFMA && I.Operand == DataType::I8) ||
           (I.Operand == A && A == B);
  return I.Operand == A && A == B;
}

namespace detail {

/// Whether it is one that the context can use; any processor, where none is
/// known.
constexpr bool isUsable(const Context &C, const Instruction &I, Isa Of) {
  return I.Of == Of && (C.Gpu ? C.Gpu->has(I) : I.isAnywhere()) &&
         multiplies(I, C.a().config.compute_type, C.b().config.compute_type,
                    C.Sig.accumulation_data_type);
}

/// Whether IMPLICIT_GEMM can multiply the signature's types by these.
constexpr bool canMultiply(const Context &C, Isa Of) {
  if (Of == Isa::VALU)
    return C.a().config.compute_type != DataType::FP8 &&
           C.Sig.accumulation_data_type != DataType::FP64;
  for (const Instruction &I : Instructions)
    if (isUsable(C, I, Of))
      return true;
  return false;
}

inline constexpr Isa RealIsas[] = {Isa::MFMA, Isa::WMMA, Isa::DOT, Isa::VALU};

} // namespace detail

namespace checks {

constexpr void unknownProcessor(Context &C) {
  FindingOut F = C.find("algorithm.isa");
  F << C.For.Name.substr(0, 32) << " is no processor that is known";
  F.remedy() << "one of";
  for (std::string_view Name : ProcessorNames)
    F << ' ' << Name;
}

/// A3.
constexpr void isaOfProcessor(Context &C) {
  if (!C.For.Name.empty() && !C.Gpu)
    unknownProcessor(C);
  Isa Of = C.Algo->isa;
  DataType A = C.a().config.compute_type;
  if (C.is(Kind::DEPTHWISE) &&
      (A == DataType::FP8 || C.Sig.accumulation_data_type == DataType::FP64))
    (C.find("algorithm.kind")
     << "DEPTHWISE does not multiply data_type " << A << " with sums of "
     << C.Sig.accumulation_data_type)
            .remedy()
        << "kind=DIRECT does";
  if (!C.isGemm() || Of == Isa::AUTO)
    return;
  if (C.Gpu && !C.Gpu->has(Of)) {
    FindingOut F = C.find("algorithm.isa");
    F << Of << " is not in " << C.Gpu->Name;
    F.remedy() << "it has";
    for (Isa Other : detail::RealIsas)
      if (C.Gpu->has(Other))
        F << ' ' << Other;
    return;
  }
  if (!isConvolvable(A) || detail::canMultiply(C, Of))
    return;
  FindingOut F = C.find("algorithm.isa");
  F << Of << " of " << C.gpuName() << " does not multiply data_type " << A;
  if (C.b().config.compute_type != A)
    F << " with " << C.b().config.compute_type;
  F << " in sums of " << C.Sig.accumulation_data_type;
  F.remedy() << "kind=DIRECT does";
  for (Isa Other : detail::RealIsas)
    if (detail::canMultiply(C, Other))
      F << ", isa=" << Other;
}

/// A4.
constexpr void instructionShape(Context &C) {
  if (!C.isGemm() || !usesMatrix(C.Algo->isa) || !C.Algo->wave ||
      !detail::canMultiply(C, C.Algo->isa))
    return;
  const MNK &Asked = C.Algo->wave->instr;
  if (Asked.m < 1 || Asked.n < 1 || Asked.k < 1)
    return; // A1's
  for (const Instruction &I : Instructions)
    if (detail::isUsable(C, I, C.Algo->isa) && I.M == Asked.m &&
        I.N == Asked.n && I.K == Asked.k)
      return;
  FindingOut F = C.find("algorithm.wave.instr");
  F << C.Algo->isa << " of " << C.gpuName() << " has no " << Asked.m << 'x'
    << Asked.n << 'x' << Asked.k << " (m, n, k) of "
    << C.a().config.compute_type;
  F.remedy() << "it has";
  for (const Instruction &I : Instructions)
    if (detail::isUsable(C, I, C.Algo->isa))
      F << ' ' << I.M << 'x' << I.N << 'x' << I.K;
}

} // namespace checks
} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFINSTRUCTIONS_H
