//===- SoftGpu/Isa/Semantics.h - what instructions do -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoder knows how instructions are written, not what they do: whoever
// executes them hands that in, and an instruction leaves the decoder with the
// function that executes it. The machine's are in
// lib/SoftGpu/Machine/Opcodes.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_ISA_SEMANTICS_H
#define KPACK_SOFTGPU_ISA_SEMANTICS_H

#include "SoftGpu/Isa/Instruction.h"
#include "llvm/ADT/StringRef.h"

namespace kpack::softgpu {

/// One operation.
struct OpcodeInfo {
  /// All spellings of the operation, with blanks between them: architectures
  /// name it differently. Without _e32, _e64, _dpp, _sdwa.
  const char *Mnemonics;
  Handler Execute;
  /// Modifiers that the handler implements, of Modifier. The decoder refuses an
  /// instruction with any other: nothing is guessed. ModCache and ModWaitExp
  /// are always allowed.
  uint32_t Allowed;
};

struct Semantics {
  /// Null: there are none for this mnemonic. Thread-safe.
  const OpcodeInfo *(*Find)(llvm::StringRef Mnemonic);
  /// Executes a v_dual_ instruction whose second half reads what the first has
  /// written, and one where the order does not matter.
  Handler ExecuteDual;
  Handler ExecuteDualInOrder;
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_ISA_SEMANTICS_H
