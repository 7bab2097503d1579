//===- McDisassembler.h - creation of LLVM disassemblers --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects of LLVM's MC layer for a disassembler, for all supported
// versions. The caller registers targets first, with the LLVMInitialize...()
// functions.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_MCDISASSEMBLER_H
#define KPACK_TOOLSUPPORT_MCDISASSEMBLER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>

namespace kpack {

/// Not thread-safe: decoding writes to the context.
struct McDisassembler {
  /// Fails if the target is not registered, or has no disassembler for
  /// \p Processor.
  static llvm::Expected<std::unique_ptr<McDisassembler>>
  create(const llvm::Triple &Machine, llvm::StringRef Processor = {},
         llvm::StringRef Features = {});

  // In the order of construction: later ones refer to earlier ones.
  llvm::Triple Machine;
  const llvm::Target *Target = nullptr;
  llvm::MCTargetOptions Options;
  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> Syntax;
  std::unique_ptr<llvm::MCInstrInfo> Instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Decoder; ///< never null
};

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_MCDISASSEMBLER_H
