//===- LaneVariant.cpp - all that one variant of the lane loops has -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled once a variant, like the tables it names: see Opcodes.h. Which one
// runs is decided in Opcodes.cpp.
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
