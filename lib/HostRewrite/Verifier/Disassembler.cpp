//===- Disassembler.cpp - addresses used by instructions ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A displacement counts from the end of its instruction. It is the last four
// bytes, or precedes a constant.
//
//===----------------------------------------------------------------------===//
#include "Disassembler.h"

#include "ToolSupport/McDisassembler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
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
  std::unique_ptr<McDisassembler> Mc;
  std::unique_ptr<MCInstrAnalysis> Analysis;
};

Disassembler::Disassembler(std::unique_ptr<Parts> P) : P(std::move(P)) {}
Disassembler::~Disassembler() = default;

static void registerTarget() {
  static const bool Initialised = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    return true;
  }();
  (void)Initialised;
}

std::unique_ptr<Disassembler> Disassembler::create() {
  registerTarget();
  auto P = std::make_unique<Parts>();
  if (Error E = McDisassembler::create(Triple("x86_64-unknown-linux-gnu"))
                    .moveInto(P->Mc)) {
    consumeError(std::move(E));
    return nullptr;
  }
  P->Analysis.reset(
      P->Mc->Target->createMCInstrAnalysis(P->Mc->Instructions.get()));
  if (!P->Analysis)
    return nullptr;
  return std::unique_ptr<Disassembler>(new Disassembler(std::move(P)));
}

/// Returns the offset of \p Distance in \p Code, or nullopt if it has not four
/// bytes, or could be at two places.
static std::optional<uint64_t> findDistance(StringRef Code, uint64_t Distance) {
  std::optional<uint64_t> Found;
  for (uint64_t Behind : {0, 1, 2, 4}) {
    if (Code.size() < 4 + Behind)
      continue;
    uint64_t Offset = Code.size() - 4 - Behind;
    if (uint64_t(int64_t(int32_t(read32le(Code.data() + Offset)))) != Distance)
      continue;
    if (Found)
      return std::nullopt;
    Found = Offset;
  }
  return Found;
}

std::optional<Decoded> Disassembler::decode(StringRef Code,
                                            uint64_t Address) const {
  MCInst Inst;
  Decoded Result;
  if (P->Mc->Decoder->getInstruction(Inst, Result.Size,
                                     arrayRefFromStringRef(Code), Address,
                                     nulls()) != MCDisassembler::Success ||
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
        Inst, P->Mc->Subtarget.get(), Address, Result.Size);
  }
  if (!Result.Target)
    return Result;
  std::optional<uint64_t> Offset = findDistance(
      Code.take_front(Result.Size), *Result.Target - (Address + Result.Size));
  Result.IsShort = !Offset;
  Result.DistanceAt = Offset.value_or(0);
  return Result;
}
