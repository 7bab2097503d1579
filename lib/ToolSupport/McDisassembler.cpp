//===- McDisassembler.cpp - creation of LLVM disassemblers ----------------===//
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
  auto Created = std::make_unique<McDisassembler>();
  Created->Machine = Machine;
  std::string Problem;
  const auto &Name = forMc(Created->Machine);
  const llvm::Target *T = TargetRegistry::lookupTarget(Name, Problem);
  if (!T)
    return createStringError("no disassembler for " + Machine.str() +
                             " in this LLVM: " + Problem);
  Created->Target = T;
  Created->Registers.reset(T->createMCRegInfo(Name));
  Created->Syntax.reset(
      T->createMCAsmInfo(*Created->Registers, Name, Created->Options));
  Created->Instructions.reset(T->createMCInstrInfo());
  Created->Subtarget.reset(T->createMCSubtargetInfo(Name, Processor, Features));
  Created->Context = std::make_unique<MCContext>(
      Created->Machine, Created->Syntax.get(), Created->Registers.get(),
      Created->Subtarget.get());
  Created->Decoder.reset(
      T->createMCDisassembler(*Created->Subtarget, *Created->Context));
  if (!Created->Decoder)
    return createStringError("processor '" + Processor +
                             "': this LLVM has no disassembler for it");
  return Created;
}

} // namespace kpack
