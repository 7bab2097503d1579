//===- Opcodes.cpp - mnemonics and the functions that execute them --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One hash table over the tables of all groups, made at the first look-up. The
// variant of the lane loops is chosen there, once, by what the processor has.
//
//===----------------------------------------------------------------------===//
#include "Opcodes.h"

#include "Lanes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

using namespace llvm;

namespace kpack::softgpu {

using Tables = std::vector<ArrayRef<OpcodeInfo>>;

/// The features that the avx2 variant is compiled with (CMakeLists.txt).
static bool hasAvx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

static Tables collectTables() {
  Tables Result;
  auto Add = [&](auto... Table) { (Result.push_back(Table()), ...); };
  Add(scalarOpcodes, scalarBitOpcodes, scalarMoveOpcodes, scalarFloatOpcodes,
      scalarMemoryOpcodes, controlOpcodes, hardwareRegisterOpcodes, flatOpcodes,
      bufferOpcodes, formattedBufferOpcodes, ldsOpcodes, ldsPermuteOpcodes,
      ldsAtomicOpcodes, globalWaveSyncOpcodes, atomicOpcodes);
  if (hasAvx2())
    Add(avx2::vectorIntegerOpcodes, avx2::vectorInteger16Opcodes,
        avx2::vectorCompareOpcodes, avx2::vectorLaneOpcodes,
        avx2::vectorFloatOpcodes, avx2::vectorFloat16Opcodes,
        avx2::vectorConvertOpcodes, avx2::vectorDivideOpcodes,
        avx2::vectorPackedOpcodes, avx2::mfmaOpcodes, avx2::wmmaOpcodes,
        avx2::sparseMatrixOpcodes);
  else
    Add(generic::vectorIntegerOpcodes, generic::vectorInteger16Opcodes,
        generic::vectorCompareOpcodes, generic::vectorLaneOpcodes,
        generic::vectorFloatOpcodes, generic::vectorFloat16Opcodes,
        generic::vectorConvertOpcodes, generic::vectorDivideOpcodes,
        generic::vectorPackedOpcodes, generic::mfmaOpcodes,
        generic::wmmaOpcodes, generic::sparseMatrixOpcodes);
  return Result;
}

ArrayRef<ArrayRef<OpcodeInfo>> opcodeTables() {
  // Never destroyed, like the index below: kernels may run while static
  // destructors do, for a runtime waits for them in one of its own.
  static const Tables &All = *new Tables(collectTables());
  return All;
}

const OpcodeInfo *findOpcode(StringRef Mnemonic) {
  static const auto &ByName = *[] {
    auto *Result = new StringMap<const OpcodeInfo *>;
    for (ArrayRef<OpcodeInfo> Table : opcodeTables())
      for (const OpcodeInfo &Info : Table)
        for (StringRef Mnemonic : split(Info.Mnemonics, ' '))
          Result->try_emplace(Mnemonic, &Info);
    return Result;
  }();
  return ByName.lookup(Mnemonic);
}

const Semantics &machineSemantics() {
  static constexpr Semantics All = {findOpcode, executeDual,
                                    executeDualInOrder};
  return All;
}

} // namespace kpack::softgpu
