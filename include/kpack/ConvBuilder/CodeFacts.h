//===- kpack/ConvBuilder/CodeFacts.h - what code says it needs --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers, LDS and memory of a compiled kernel, as its code object has them
// (AMDGPUUsage, "Code Object V3 Metadata"; CodeObject.h reads it), and how many
// waves of it a SIMD runs at once. Resources.h has the model that is used until
// the kernel is compiled.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CODEFACTS_H
#define KPACK_CONVBUILDER_CODEFACTS_H

#include "kpack/ConvBuilder/Capabilities.h"
#include "kpack/ConvBuilder/FixedText.h"

namespace kpack::conv {

/// Numbers are 0 where the code object does not say them.
struct CodeFacts {
  FixedText<64> Target;  ///< target id: "gfx90a", "gfx90a:xnack-"
  int WaveSize = 0;      ///< threads
  int MaxThreads = 0;    ///< of a work-group
  int LdsBytes = 0;      ///< of a work-group
  int PrivateBytes = 0;  ///< of a thread, in memory
  int Vgprs = 0;         ///< of a lane, with the AGPRs that share their file
  int Agprs = 0;         ///< of a lane
  int VgprSpills = 0;    ///< VGPRs that go to memory and come back
  int SgprSpills = 0;    ///< SGPRs that go to lanes of VGPRs
  int ArgumentBytes = 0; ///< of a launch
};

/// Registers come in blocks: how many a wave of \p Gpu takes that needs
/// \p Vgprs. Blocks are those of LLVM's getVGPRAllocGranule().
constexpr int allocatedVgprs(const Processor &Gpu, int Vgprs) {
  int Block = Gpu.IsOneFile               ? 8
              : Gpu.WaveSize == 64        ? 4
              : Gpu.SimdVgprs % 1536 == 0 ? 24
                                          : 16;
  return (Vgprs + Block - 1) / Block * Block;
}

/// Waves that a SIMD of \p Gpu runs at once if registers alone decide; 0: not
/// one.
constexpr int wavesOfSimd(const Processor &Gpu, int Vgprs) {
  int Needed = allocatedVgprs(Gpu, Vgprs < 1 ? 1 : Vgprs);
  int Waves = Gpu.SimdVgprs / Needed;
  return Waves < Gpu.SimdWaves ? Waves : Gpu.SimdWaves;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CODEFACTS_H
