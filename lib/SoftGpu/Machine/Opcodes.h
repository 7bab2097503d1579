//===- Opcodes.h - tables of all opcodes ------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each group of instructions is a file with a constant table of OpcodeInfo.
// This header declares the tables, and Opcodes.cpp looks mnemonics up in all of
// them. An operation is a row; if architectures spell it differently
// (ds_read_b32, ds_load_b32) the row has both spellings. OpcodeNames.h
// generates families of rows.
//
// Files of lane loops are compiled three times, for any x86-64, for AVX2 with
// FMA and F16C, and for AVX-512, in separate namespaces. The processor's
// features select one.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_OPCODES_H
#define KPACK_LIB_SOFTGPU_MACHINE_OPCODES_H

#include "SoftGpu/Isa/Semantics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace kpack::softgpu {

/// Returns null if there are no semantics.
const OpcodeInfo *findOpcode(llvm::StringRef Mnemonic);

/// Returns all semantics, for the decoder. They are never destroyed.
const Semantics &machineSemantics();

/// Returns all tables, with the lane loops of the variant that this processor
/// runs.
llvm::ArrayRef<llvm::ArrayRef<OpcodeInfo>> opcodeTables();

llvm::ArrayRef<OpcodeInfo> scalarOpcodes();     // ScalarAlu.cpp
llvm::ArrayRef<OpcodeInfo> scalarBitOpcodes();  // ScalarBits.cpp
llvm::ArrayRef<OpcodeInfo> scalarMoveOpcodes(); // ScalarMasks.cpp
llvm::ArrayRef<OpcodeInfo>
hardwareRegisterOpcodes(); // HardwareRegisters.cpp: s_getreg, s_setreg, clocks
llvm::ArrayRef<OpcodeInfo>
scalarFloatOpcodes(); // ScalarFloat.cpp (gfx11.5+, gfx12)
llvm::ArrayRef<OpcodeInfo> scalarMemoryOpcodes(); // ScalarMemory.cpp
llvm::ArrayRef<OpcodeInfo>
controlOpcodes(); // Control.cpp: branches, barriers, waits, modes
llvm::ArrayRef<OpcodeInfo> bufferOpcodes(); // BufferMemory.cpp
llvm::ArrayRef<OpcodeInfo>
formattedBufferOpcodes(); // FormattedBuffers.cpp: with format, tbuffer_
llvm::ArrayRef<OpcodeInfo> ldsAtomicOpcodes();      // LdsAtomics.cpp
llvm::ArrayRef<OpcodeInfo> globalWaveSyncOpcodes(); // GlobalWaveSync.cpp
llvm::ArrayRef<OpcodeInfo>
atomicOpcodes(); // Atomics.cpp: of global, flat, buffer

/// Handlers of one variant of the lane loops.
struct LaneVariant {
  const char *Name;
  std::vector<llvm::ArrayRef<OpcodeInfo>> Tables;
  Handler ExecuteDual, ExecuteDualInOrder;
};

/// Returns the variants that this processor runs, the fastest last: generic,
/// avx2, avx512.
std::vector<LaneVariant> laneVariants();

/// Returns the tables above, then those of \p Lanes.
std::vector<llvm::ArrayRef<OpcodeInfo>> opcodeTables(const LaneVariant &Lanes);

#define KPACK_SOFTGPU_LANE_TABLES                                              \
  LaneVariant laneVariant(); /* LaneVariant.cpp: all of the following */       \
  llvm::ArrayRef<OpcodeInfo>                                                   \
  flatOpcodes(); /* FlatMemory.cpp: flat_, global_, scratch_ */                \
  llvm::ArrayRef<OpcodeInfo> ldsOpcodes();           /* LdsMemory.cpp */       \
  llvm::ArrayRef<OpcodeInfo> ldsPermuteOpcodes();    /* LdsPermute.cpp */      \
  llvm::ArrayRef<OpcodeInfo> vectorIntegerOpcodes(); /* VectorInteger.cpp */   \
  llvm::ArrayRef<OpcodeInfo>                                                   \
  vectorInteger16Opcodes(); /* VectorInteger16.cpp: also packed */             \
  llvm::ArrayRef<OpcodeInfo> vectorCompareOpcodes(); /* VectorCompare.cpp */   \
  llvm::ArrayRef<OpcodeInfo>                                                   \
  vectorLaneOpcodes(); /* VectorLane.cpp: readlane, permlane, ... */           \
  llvm::ArrayRef<OpcodeInfo>                                                   \
  vectorFloatOpcodes(); /* VectorFloat.cpp: f32, f64 */                        \
  llvm::ArrayRef<OpcodeInfo>                                                   \
  vectorFloat16Opcodes(); /* VectorFloat16.cpp: f16, packed f16, mix */        \
  llvm::ArrayRef<OpcodeInfo> vectorConvertOpcodes(); /* VectorConvert.cpp */   \
  llvm::ArrayRef<OpcodeInfo>                                                   \
  vectorDivideOpcodes(); /* VectorDivide.cpp: div_*, rcp, sqrt, ... */         \
  llvm::ArrayRef<OpcodeInfo>                                                   \
  vectorPackedOpcodes(); /* VectorPacked.cpp: packed f32, dot */               \
  llvm::ArrayRef<OpcodeInfo> mfmaOpcodes(); /* MatrixMfma.cpp */               \
  llvm::ArrayRef<OpcodeInfo> wmmaOpcodes(); /* MatrixWmma.cpp */               \
  llvm::ArrayRef<OpcodeInfo>                                                   \
  sparseMatrixOpcodes(); /* MatrixSparse.cpp: SMFMAC, SWMMAC */

namespace generic {
KPACK_SOFTGPU_LANE_TABLES
}
namespace avx2 {
KPACK_SOFTGPU_LANE_TABLES
}
namespace avx512 {
KPACK_SOFTGPU_LANE_TABLES
}
// The reference for comparisons, only in softgpu-differential.
namespace reference {
KPACK_SOFTGPU_LANE_TABLES
}
#undef KPACK_SOFTGPU_LANE_TABLES

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_OPCODES_H
