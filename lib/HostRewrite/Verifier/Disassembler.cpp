//===- Disassembler.cpp - instructions and where they lead ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A distance counts from the end of its instruction and is its last four bytes,
// but for a constant that may stand behind it.
//
//===----------------------------------------------------------------------===//
#include "Disassembler.h"
#include "kpack/ToolSupport/McTriple.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace kpack;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86Disassembler();
}

struct Disassembler::Parts {
  Triple Host{"x86_64-unknown-linux-gnu"};
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> Registers;
  std::unique_ptr<MCAsmInfo> Asm;
  std::unique_ptr<MCInstrInfo> Instructions;
  std::unique_ptr<MCSubtargetInfo> Subtarget;
  std::unique_ptr<MCContext> Context;
  std::unique_ptr<MCDisassembler> Decoder;
  std::unique_ptr<MCInstrAnalysis> Analysis;
};

Disassembler::Disassembler(std::unique_ptr<Parts> P) : P(std::move(P)) {}
Disassembler::~Disassembler() = default;

static const Target *findTarget(const Triple &Host) {
  static const bool Initialised = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    return true;
  }();
  (void)Initialised;
  std::string Problem;
  return TargetRegistry::lookupTarget(forMc(Host), Problem);
}

std::unique_ptr<Disassembler> Disassembler::create() {
  auto P = std::make_unique<Parts>();
  const Target *T = findTarget(P->Host);
  if (!T)
    return nullptr;
  P->Registers.reset(T->createMCRegInfo(forMc(P->Host)));
  P->Asm.reset(T->createMCAsmInfo(*P->Registers, forMc(P->Host), P->Options));
  P->Instructions.reset(T->createMCInstrInfo());
  P->Subtarget.reset(T->createMCSubtargetInfo(forMc(P->Host), "", ""));
  P->Context = std::make_unique<MCContext>(
      P->Host, P->Asm.get(), P->Registers.get(), P->Subtarget.get());
  P->Decoder.reset(T->createMCDisassembler(*P->Subtarget, *P->Context));
  P->Analysis.reset(T->createMCInstrAnalysis(P->Instructions.get()));
  if (!P->Decoder || !P->Analysis)
    return nullptr;
  return std::unique_ptr<Disassembler>(new Disassembler(std::move(P)));
}

/// Where the distance to \p Target from \p End stands in \p Code; nothing: it
/// is not one of four bytes, or could be two of them.
static std::optional<uint64_t> findDistance(StringRef Code, uint64_t Distance) {
  std::optional<uint64_t> Found;
  for (uint64_t Behind : {0, 1, 2, 4}) {
    if (Code.size() < 4 + Behind)
      continue;
    uint64_t At = Code.size() - 4 - Behind;
    if (uint64_t(int64_t(int32_t(read32le(Code.data() + At)))) != Distance)
      continue;
    if (Found)
      return std::nullopt;
    Found = At;
  }
  return Found;
}

std::optional<Decoded> Disassembler::decode(StringRef Code,
                                            uint64_t Address) const {
  MCInst Inst;
  Decoded Result;
  if (P->Decoder->getInstruction(Inst, Result.Size, arrayRefFromStringRef(Code),
                                 Address, nulls()) != MCDisassembler::Success ||
      Result.Size == 0 || Result.Size > Code.size())
    return std::nullopt;
  for (const MCOperand &Operand : Inst)
    if (Operand.isImm())
      Result.Numbers.push_back(Operand.getImm());
  uint64_t Target;
  if (P->Analysis->evaluateBranch(Inst, Address, Result.Size, Target)) {
    Result.Target = Target;
  } else {
    Result.Target = P->Analysis->evaluateMemoryOperandAddress(
        Inst, P->Subtarget.get(), Address, Result.Size);
  }
  if (!Result.Target)
    return Result;
  std::optional<uint64_t> At = findDistance(
      Code.take_front(Result.Size), *Result.Target - (Address + Result.Size));
  Result.IsShort = !At;
  Result.DistanceAt = At.value_or(0);
  return Result;
}
