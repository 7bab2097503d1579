//===- OfInstructions.h - check that a GPU has the instructions -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that the processor has the algorithm's instructions for these types.
// Other instructions crash compilers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFINSTRUCTIONS_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFINSTRUCTIONS_H

#include "kpack/ConvBuilder/Multiply.h"
#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv {

namespace checks {

constexpr void unknownProcessor(Context &C) {
  FindingOut F = C.find("algorithm.isa");
  F << C.For.Name.substr(0, 32) << " is no processor that is known";
  F.remedy() << "one of";
  for (std::string_view Name : ProcessorNames)
    F << ' ' << Name;
}

/// A3: the processor is known, and its isa multiplies the types.
constexpr void isaOfProcessor(Context &C) {
  if (!C.For.Name.empty() && !C.Gpu)
    unknownProcessor(C);
  Isa IsaKind = C.Algo->isa;
  DataType A = C.a().config.compute_type;
  if (C.is(Kind::DEPTHWISE) && C.Sig.accumulation_data_type == DataType::FP64)
    (C.find("algorithm.kind") << "DEPTHWISE has no sums of FP64").remedy()
        << "kind=DIRECT does";
  if (!C.isGemm())
    return;
  if (C.Gpu && !C.Gpu->has(IsaKind) && IsaKind != Isa::AUTO) {
    FindingOut F = C.find("algorithm.isa");
    F << IsaKind << " is not in " << C.Gpu->Name;
    // Only list instructions that multiply these types.
    F.remedy() << "it has";
    bool HasOther = false;
    for (Isa Other : RealIsas)
      if (C.Gpu->has(Other) && canMultiply(Other, C.Sig, C.Gpu)) {
        F << ' ' << Other;
        HasOther = true;
      }
    if (!HasOther)
      F << " none for these types, kind=DIRECT does";
    return;
  }
  if (!isConvolvable(A) || canMultiply(*C.Algo, C.Sig, C.Gpu))
    return;
  FindingOut F = C.find("algorithm.isa");
  if (IsaKind == Isa::AUTO)
    F << "no isa of " << C.gpuName()
      << (C.Algo->wave ? " with the part wave" : "")
      << (C.Algo->thread ? " with the part thread" : "") << " multiplies";
  else
    F << IsaKind << " of " << C.gpuName() << " does not multiply";
  F << " data_type " << A;
  if (C.b().config.compute_type != A)
    F << " with " << C.b().config.compute_type;
  F << " in sums of " << C.Sig.accumulation_data_type;
  F.remedy() << "kind=DIRECT does";
  for (Isa Other : RealIsas)
    if (canMultiply(Other, C.Sig, C.Gpu))
      F << ", isa=" << Other;
}

/// A4: the isa has an instruction of that shape.
constexpr void instructionShape(Context &C) {
  if (!C.isGemm() || !usesMatrix(C.Algo->isa) || !C.Algo->wave ||
      !canMultiply(C.Algo->isa, C.Sig, C.Gpu))
    return;
  const MNK &Asked = C.Algo->wave->instr;
  auto Is = [](int Wanted, int There) {
    return Wanted == 0 || Wanted == There;
  };
  ProductTypes Types(C.Sig);
  for (const Instruction &I : Instructions)
    if (I.Of == C.Algo->isa && Is(Asked.m, I.Rows) && Is(Asked.n, I.Columns) &&
        Is(Asked.k, I.Depth) && isUsable(I, I.Of, Types, C.Gpu))
      return;
  FindingOut F = C.find("algorithm.wave.instr");
  F << C.Algo->isa << " of " << C.gpuName() << " has no " << Asked.m << 'x'
    << Asked.n;
  if (Asked.k)
    F << 'x' << Asked.k;
  F << (Asked.k ? " (m, n, k) of " : " (m, n) of ") << productTypeOfA(C.Sig);
  F.remedy() << "it has";
  for (const Instruction &I : Instructions)
    if (isUsable(I, C.Algo->isa, C.Sig, C.Gpu))
      F << ' ' << I.Rows << 'x' << I.Columns << 'x' << I.Depth;
}

} // namespace checks
} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFINSTRUCTIONS_H
