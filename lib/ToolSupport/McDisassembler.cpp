//===- McDisassembler.cpp - LLVM's disassemblers --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/McDisassembler.h"

#include "llvm/Config/llvm-config.h"

using namespace llvm;

namespace kpack {

/// LLVM 22 takes a Triple, earlier versions take text.
#if LLVM_VERSION_MAJOR >= 22
static const Triple &forMc(const Triple &T) { return T; }
#else
static StringRef forMc(const Triple &T) { return T.str(); }
#endif

Expected<std::unique_ptr<McDisassembler>>
McDisassembler::create(const Triple &Machine, StringRef Processor,
                       StringRef Features) {
  auto Made = std::make_unique<McDisassembler>();
  Made->Machine = Machine;
  std::string Problem;
  const auto &Name = forMc(Made->Machine);
  const llvm::Target *T = TargetRegistry::lookupTarget(Name, Problem);
  if (!T)
    return createStringError("no disassembler for " + Machine.str() +
                             " in this LLVM: " + Problem);
  Made->Target = T;
  Made->Registers.reset(T->createMCRegInfo(Name));
  Made->Syntax.reset(T->createMCAsmInfo(*Made->Registers, Name, Made->Options));
  Made->Instructions.reset(T->createMCInstrInfo());
  Made->Subtarget.reset(T->createMCSubtargetInfo(Name, Processor, Features));
  Made->Context =
      std::make_unique<MCContext>(Made->Machine, Made->Syntax.get(),
                                  Made->Registers.get(), Made->Subtarget.get());
  Made->Decoder.reset(
      T->createMCDisassembler(*Made->Subtarget, *Made->Context));
  if (!Made->Decoder)
    return createStringError("processor '" + Processor +
                             "': this LLVM has no disassembler for it");
  return Made;
}

} // namespace kpack
