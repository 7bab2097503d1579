//===- Requirements/OfCode.h - checks of compiled kernels -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks compiled code by the numbers of its code object: whether the models of
// Resources.h hold, and whether registers suffice. R4 (no instruction indexes
// registers) needs a disassembler and is a test (test/ConvBuilder/code.test).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFCODE_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFCODE_H

#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv::checks {

/// Returns the field whose reduction saves registers.
constexpr std::string_view registersPath(const Context &C) {
  return C.isGemm()              ? "algorithm.tile"
         : C.is(Kind::DEPTHWISE) ? "algorithm.depthwise.subtile"
                                 : "algorithm.kind";
}

constexpr std::string_view registersRemedy(const Context &C) {
  return C.isGemm() || C.is(Kind::DEPTHWISE)
             ? "a smaller one needs fewer registers"
             : "report it: this kernel never needs so many";
}

/// R1: the model of LDS holds. Excludes DEPTHWISE, whose tile depends on the
/// problem: P10 checks it.
constexpr void realLds(Context &C) {
  if (C.is(Kind::DEPTHWISE))
    return;
  long long Model = C.isGemm() ? ldsOf(C.Sig, *C.Algo).total() : 0;
  if (C.Code->LdsBytes <= Model)
    return;
  (C.find("code.lds", Model)
   << C.Code->LdsBytes << " bytes, and A7 computes " << Model)
          .remedy()
      << "report it: the model is too low";
}

/// R2: no spilled VGPRs. SGPRs that are spilled to lanes of VGPRs stay in
/// registers and do not count.
constexpr void spills(Context &C) {
  if (C.Code->VgprSpills == 0)
    return;
  (C.find(registersPath(C))
   << C.Code->VgprSpills << " VGPRs are spilled to memory")
          .remedy()
      << registersRemedy(C);
}

/// R3: threads have no private memory.
constexpr void privateMemory(Context &C) {
  if (C.Code->PrivateBytes == 0)
    return;
  (C.find(registersPath(C))
   << C.Code->PrivateBytes << " bytes of private memory for each thread")
          .remedy()
      << registersRemedy(C);
}

/// R5: the processor and the wave size. The loader checks features such as
/// xnack: it refuses code whose features differ from the device's.
constexpr void target(Context &C) {
  Target Is(C.Code->Target.view());
  if (Is.Name != C.For.Name)
    (C.find("code.target") << "is for " << Is.Name << ", asked for was "
                           << C.For.Name)
            .remedy()
        << "compile it for " << C.For.Name;
  else if (int Wave = C.waveSize(); Wave && C.Code->WaveSize != Wave)
    (C.find("code.wave_size", Wave)
     << C.Code->WaveSize << " threads, and the algorithm divides its work by "
     << Wave)
            .remedy()
        << "compile it without -mwavefrontsize64 and -mno-wavefrontsize64";
}

/// R6: registers suffice for a work-group, whose waves must be resident
/// together.
constexpr void realRegisters(Context &C) {
  if (!C.Gpu || C.Algo->block_size < 1)
    return;
  long long OnSimd =
      ceilDiv(ceilDiv(C.Algo->block_size, C.Gpu->WaveSize), Processor::Simds);
  int Waves = wavesOfSimd(*C.Gpu, C.Code->Vgprs);
  if (Waves >= OnSimd)
    return;
  FindingOut F = C.find(registersPath(C), C.Gpu->SimdVgprs / OnSimd);
  F << C.Code->Vgprs << " registers of a lane: a SIMD of " << C.Gpu->Name
    << " runs " << Waves << " such waves, and has " << OnSimd
    << " of each work-group";
  F.remedy() << registersRemedy(C);
}

} // namespace kpack::conv::checks

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFCODE_H
