//===- CodeFacts.h - registers and LDS of compiled kernels ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers, LDS and memory of a compiled kernel, from its code object
// (AMDGPUUsage, "Code Object V3 Metadata"; CodeObject.h reads it), and the
// waves that a SIMD runs at once. Before the kernel is compiled, Resources.h
// has a model of them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CODEFACTS_H
#define KPACK_CONVBUILDER_CODEFACTS_H

#include "kpack/ConvBuilder/Capabilities.h"
#include "kpack/ConvBuilder/FixedText.h"

namespace kpack::conv {

/// Facts of a kernel. 0 if the code object lacks the number.
struct CodeFacts {
  FixedText<64> Target;  ///< target id: "gfx90a", "gfx90a:xnack-"
  int WaveSize = 0;      ///< threads
  int MaxThreads = 0;    ///< of a work-group
  int LdsBytes = 0;      ///< of a work-group
  int PrivateBytes = 0;  ///< of a thread, in memory
  int Vgprs = 0;         ///< of a lane, with the AGPRs that share their file
  int Agprs = 0;         ///< of a lane
  int VgprSpills = 0;    ///< VGPRs that are spilled to memory
  int SgprSpills = 0;    ///< SGPRs that are spilled to lanes of VGPRs
  int ArgumentBytes = 0; ///< of a launch
};

/// Rounds \p Vgprs of a wave up to the allocation blocks of \p Gpu, which are
/// those of LLVM's getVGPRAllocGranule().
constexpr int allocatedVgprs(const Processor &Gpu, int Vgprs) {
  int Block = Gpu.IsOneFile               ? 8
              : Gpu.WaveSize == 64        ? 4
              : Gpu.SimdVgprs % 1536 == 0 ? 24
                                          : 16;
  return (Vgprs + Block - 1) / Block * Block;
}

/// Returns the waves that a SIMD of \p Gpu can run at once if only registers
/// limit them; 0 if not even one fits.
constexpr int wavesOfSimd(const Processor &Gpu, int Vgprs) {
  int Needed = allocatedVgprs(Gpu, Vgprs < 1 ? 1 : Vgprs);
  int Waves = Gpu.SimdVgprs / Needed;
  return Waves < Gpu.SimdWaves ? Waves : Gpu.SimdWaves;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CODEFACTS_H
