//===- Isa/Semantics.h - interface to instruction semantics -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoder knows the syntax of instructions only. Its caller passes their
// semantics, and a decoded instruction holds the function that executes it. The
// machine's semantics are in lib/SoftGpu/Machine/Opcodes.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_ISA_SEMANTICS_H
#define KPACK_SOFTGPU_ISA_SEMANTICS_H

#include "SoftGpu/Isa/Instruction.h"
#include "llvm/ADT/StringRef.h"

namespace kpack::softgpu {

/// One operation.
struct OpcodeInfo {
  /// All spellings of the operation, separated by blanks: architectures differ
  /// in names. Without _e32, _e64, _dpp, _sdwa.
  const char *Mnemonics;
  Handler Execute;
  /// Mask of the modifiers that the handler implements. The decoder refuses an
  /// instruction with any other. ModCache and ModWaitExp are always allowed.
  uint32_t Allowed;
};

struct Semantics {
  /// Returns null if the mnemonic is unknown. Thread-safe.
  const OpcodeInfo *(*Find)(llvm::StringRef Mnemonic);
  /// Execute a v_dual_ instruction whose second half reads a register that the
  /// first writes, and one for which the order does not matter.
  Handler ExecuteDual;
  Handler ExecuteDualInOrder;
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_ISA_SEMANTICS_H
