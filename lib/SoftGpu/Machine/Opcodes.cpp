//===- Opcodes.cpp - tables of all opcodes --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One hash table over the tables of all groups, built at the first look-up,
// which also selects the variant of the lane loops by the processor's features.
//
//===----------------------------------------------------------------------===//
#include "Opcodes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace kpack::softgpu {

using Tables = std::vector<ArrayRef<OpcodeInfo>>;

std::vector<LaneVariant> laneVariants() {
  std::vector<LaneVariant> Found = {generic::laneVariant()};
#if defined(__x86_64__)
  // The features that the variants are compiled for (CMakeLists.txt).
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2")) {
    Found.push_back(avx2::laneVariant());
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
      Found.push_back(avx512::laneVariant());
  }
#endif
  return Found;
}

/// Returns the variant that this processor runs. It and its users are never
/// destroyed: kernels may run during the destruction of static objects, as a
/// runtime waits for them in a static destructor.
static const LaneVariant &chosenVariant() {
  static const LaneVariant &Chosen = *new LaneVariant(laneVariants().back());
  return Chosen;
}

Tables opcodeTables(const LaneVariant &Lanes) {
  Tables Result = {
      scalarOpcodes(),      scalarBitOpcodes(),        scalarMoveOpcodes(),
      scalarFloatOpcodes(), scalarMemoryOpcodes(),     controlOpcodes(),
      bufferOpcodes(),      hardwareRegisterOpcodes(), ldsAtomicOpcodes(),
      atomicOpcodes(),      formattedBufferOpcodes(),  globalWaveSyncOpcodes()};
  append_range(Result, Lanes.Tables);
  return Result;
}

ArrayRef<ArrayRef<OpcodeInfo>> opcodeTables() {
  static const Tables &All = *new Tables(opcodeTables(chosenVariant()));
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
  static const Semantics All = {findOpcode, chosenVariant().ExecuteDual,
                                chosenVariant().ExecuteDualInOrder};
  return All;
}

} // namespace kpack::softgpu
