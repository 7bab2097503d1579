//===- LaneVariant.cpp - opcode tables of one SIMD variant ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled once for each variant, like its tables: see Opcodes.h. Opcodes.cpp
// selects the variant.
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"
#include "SoftGpu/Machine/Opcodes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

#define KPACK_NAME_OF(X) #X
#define KPACK_NAME(X) KPACK_NAME_OF(X)

LaneVariant laneVariant() {
  return {KPACK_NAME(KPACK_SOFTGPU_VARIANT),
          {vectorIntegerOpcodes(), vectorInteger16Opcodes(),
           vectorCompareOpcodes(), vectorLaneOpcodes(), vectorFloatOpcodes(),
           vectorFloat16Opcodes(), vectorConvertOpcodes(),
           vectorDivideOpcodes(), vectorPackedOpcodes(), mfmaOpcodes(),
           wmmaOpcodes(), sparseMatrixOpcodes(), flatOpcodes(), ldsOpcodes(),
           ldsPermuteOpcodes()},
          executeDual,
          executeDualInOrder};
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
