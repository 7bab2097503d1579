//===- InstructionParser.cpp - parser of printed instructions -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// parseInstruction splits the text, looks the semantics up and refuses
// modifiers that they do not cover. OperandParser.cpp and ModifierParser.cpp
// parse the parts.
//
//===----------------------------------------------------------------------===//
#include "OperandParser.h"

#include "SoftGpu/Isa/Decoder.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace kpack::softgpu {

//===- Dual issue ---------------------------------------------------------===//

static bool readsRegister(const Instruction &I, unsigned Index) {
  for (unsigned N = 1; N < I.OperandCount; ++N)
    if (I.Operands[N].What == Operand::Kind::Vgpr &&
        I.Operands[N].Index == Index)
      return true;
  return false;
}

//===- Text ---------------------------------------------------------------===//

namespace {
/// Words of a comma-separated piece: an operand and modifiers.
using Piece = SmallVector<StringRef, 8>;
} // namespace

/// Splits at commas, then at blanks, outside of brackets.
static SmallVector<Piece, 8> splitOperands(StringRef Text) {
  SmallVector<Piece, 8> Pieces(1);
  int Depth = 0;
  size_t Start = 0;
  auto EndWord = [&](size_t At) {
    if (At > Start)
      Pieces.back().push_back(Text.slice(Start, At));
    Start = At + 1;
  };
  for (size_t At = 0; At < Text.size(); ++At) {
    char C = Text[At];
    Depth += (C == '[' || C == '(') - (C == ']' || C == ')');
    if (Depth > 0 || !(C == ',' || isSpace(C)))
      continue;
    EndWord(At);
    if (C == ',')
      Pieces.emplace_back();
  }
  EndWord(Text.size());
  return Pieces;
}

/// True if operands need no parsing. A version is a comment, and of a wait's
/// counters only vmcnt(0) matters: other accesses are in order here.
static bool hasFreeOperands(StringRef Mnemonic) {
  return Mnemonic.starts_with("s_wait") || Mnemonic == "s_delay_alu" ||
         Mnemonic == "s_version";
}

/// Removes the suffix that names the encoding.
static void setMnemonic(Instruction &I, StringRef Printed) {
  if (Printed.consume_back("_sdwa")) {
    I.Sdwa.Present = true;
    I.Modifiers |= ModSdwa;
  }
  if (Printed.consume_back("_dpp"))
    I.Modifiers |= ModDpp;
  if (Printed.consume_back("_e64"))
    I.EncodedVop3 = true;
  else
    Printed.consume_back("_e32");
  I.Mnemonic = Printed.str();
}

static Error addOperand(Instruction &I, const Operand &O) {
  if (I.OperandCount == I.Operands.size())
    return createStringError("too many operands");
  I.Operands[I.OperandCount++] = O;
  I.Modifiers |= O.Neg * ModNeg | O.Abs * ModAbs | O.Sext * ModSext;
  return Error::success();
}

static Error parseOperands(Instruction &I, StringRef Text) {
  if (hasFreeOperands(I.Mnemonic))
    return addOperand(I, {.What = Operand::Kind::Symbol,
                          .Value = Text.contains("vmcnt(0)") ? 0 : ~0ull});
  SmallVector<Piece, 8> Pieces = splitOperands(Text);
  for (size_t N = 0; N < Pieces.size(); ++N) {
    ArrayRef<StringRef> Words = Pieces[N];
    if (Words.empty()) {
      if (Pieces.size() > 1)
        return createStringError("empty operand");
      break;
    }
    if (N > 0 || !isModifier(Words.front())) {
      Expected<Operand> O = parseOperand(Words.front());
      if (!O)
        return O.takeError();
      if (Error E = addOperand(I, *O))
        return E;
      Words = Words.drop_front();
    }
    for (StringRef Word : Words)
      if (Error E = parseModifier(Word, I))
        return E;
  }
  return Error::success();
}

//===- Implied parts -----------------------------------------------------===//

static Operand scalarOperand(unsigned Index, unsigned Dwords) {
  return {.What = Operand::Kind::Sgpr,
          .Dwords = uint8_t(Dwords),
          .Index = uint16_t(Index)};
}

/// Adds implied operands; see Instruction::Operands.
static void addImpliedOperands(Instruction &I, bool InDual) {
  if (StringRef(I.Mnemonic).starts_with("v_cmpx_") && I.OperandCount == 2) {
    I.Operands[2] = I.Operands[1];
    I.Operands[1] = I.Operands[0];
    I.Operands[0] = scalarOperand(ExecLo, 2);
    I.OperandCount = 3;
  }
  if (InDual && I.Mnemonic == "v_cndmask_b32" && I.OperandCount == 3)
    I.Operands[I.OperandCount++] = scalarOperand(VccLo, 1);
}

/// Drops op_sel of true16 operands, which the printer writes twice: as .l or .h
/// and in the list.
static void dropPrintedTwice(Instruction &I) {
  if (!I.has(ModOpSel))
    return;
  bool Any = false;
  for (unsigned N = 0; N < I.OperandCount; ++N) {
    if (I.Operands[N].Part == Operand::Half::None)
      continue;
    Any = true;
    unsigned Bit = N == 0 ? I.OperandCount - 1 : N - 1;
    I.OpSel &= uint8_t(~(1u << Bit));
  }
  if (Any && I.OpSel == 0)
    I.Modifiers &= ~uint32_t(ModOpSel);
}

/// By default packed operations use both halves; mixed-precision ones have f32
/// sources.
static uint8_t defaultOpSelHi(StringRef Mnemonic) {
  return Mnemonic.contains("_mix") ? 0 : 7;
}

/// Branch offsets are signed 16-bit counts of words from the next instruction.
static Error setBranchTarget(Instruction &I) {
  StringRef Name = I.Mnemonic;
  if (!Name.starts_with("s_branch") && !Name.starts_with("s_cbranch_") &&
      !Name.starts_with("s_call_"))
    return Error::success();
  if (I.OperandCount == 0)
    return createStringError("no branch target");
  const Operand &O = I.Operands[I.OperandCount - 1];
  if (O.What != Operand::Kind::Constant || O.Float)
    return createStringError("unknown branch target");
  int16_t Words = int16_t(uint16_t(O.Value));
  I.BranchTarget = I.Address + 4 + uint64_t(int64_t(Words) * 4);
  return Error::success();
}

//===- Operand classes ----------------------------------------------------===//

/// Refuses a vector register in the field of a lane mask. The disassembler
/// prints it and the assembler refuses it: hardware has no such operand.
static Error checkMask(const Instruction &I) {
  StringRef Name = I.Mnemonic;
  unsigned Mask = StringSwitch<unsigned>(Name)
                      .StartsWith("v_cndmask_", 3)
                      .Case("v_addc_co_u32", 4)
                      .Case("v_add_co_ci_u32", 4)
                      .Case("v_subb_co_u32", 4)
                      .Case("v_sub_co_ci_u32", 4)
                      .Case("v_subbrev_co_u32", 4)
                      .Case("v_subrev_co_ci_u32", 4)
                      .Default(0);
  if (Mask && Mask < I.OperandCount &&
      I.Operands[Mask].What == Operand::Kind::Vgpr)
    return createStringError("no semantics for " + Name +
                             " with a mask in a vector register");
  return Error::success();
}

//===- Semantics ----------------------------------------------------------===//

static Error setSemantics(Instruction &I, const OpcodeInfo &Info) {
  static constexpr uint32_t AlwaysAllowed = ModCache | ModWaitExp;
  if (uint32_t Refused = I.Modifiers & ~(Info.Allowed | AlwaysAllowed))
    return createStringError("no semantics for " + I.Mnemonic +
                             " with modifiers " + describeModifiers(Refused));
  I.Execute = Info.Execute;
  return Error::success();
}

static Expected<std::unique_ptr<Instruction>>
parseSingle(StringRef Text, uint64_t Address, uint32_t Size,
            const Semantics &Known, bool InDual) {
  auto I = std::make_unique<Instruction>();
  I->Address = Address;
  I->Size = Size;
  I->Text = Text.str();
  auto [Printed, Rest] = getToken(Text);
  if (InDual && !Printed.consume_front("v_dual_"))
    return createStringError("not a dual instruction");
  setMnemonic(*I, InDual ? ("v_" + Printed).str() : Printed.str());
  // Look this up first, so that a message does not blame an operand or
  // modifier.
  const OpcodeInfo *Info = Known.Find(I->Mnemonic);
  if (!Info)
    return createStringError("no semantics for " + I->Mnemonic);
  I->OpSelHi = defaultOpSelHi(I->Mnemonic);
  if (Error E = parseOperands(*I, Rest))
    return E;
  addImpliedOperands(*I, InDual);
  dropPrintedTwice(*I);
  if (Error E = setBranchTarget(*I))
    return E;
  if (Error E = checkMask(*I))
    return E;
  if (Error E = setSemantics(*I, *Info))
    return E;
  return I;
}

/// Parses "v_dual_a ... :: v_dual_b ...".
static Expected<std::unique_ptr<Instruction>>
parseDual(StringRef Text, uint64_t Address, uint32_t Size,
          const Semantics &Known) {
  auto [FirstText, SecondText] = Text.split(" :: ");
  auto First = parseSingle(FirstText, Address, Size, Known, /*InDual=*/true);
  if (!First)
    return First.takeError();
  auto Second = parseSingle(SecondText, Address, Size, Known, /*InDual=*/true);
  if (!Second)
    return Second.takeError();
  const Operand &Destination = (*First)->Operands[0];
  if (Destination.What != Operand::Kind::Vgpr || Destination.Dwords != 1)
    return createStringError("unknown destination of a dual instruction");
  auto Outer = std::make_unique<Instruction>();
  Outer->Execute = readsRegister(**Second, Destination.Index)
                       ? Known.ExecuteDual
                       : Known.ExecuteDualInOrder;
  Outer->Address = Address;
  Outer->Size = Size;
  Outer->Text = Text.str();
  Outer->Mnemonic = getToken(Text).first.str();
  (*First)->Dual = std::move(*Second);
  Outer->Dual = std::move(*First);
  return Outer;
}

Expected<std::unique_ptr<Instruction>>
parseInstruction(StringRef Text, uint64_t Address, uint32_t Size,
                 const Semantics &Known) {
  Text = Text.trim();
  auto I = Text.contains(" :: ")
               ? parseDual(Text, Address, Size, Known)
               : parseSingle(Text, Address, Size, Known, /*InDual=*/false);
  if (!I)
    return createStringError("instruction '" + Text +
                             "': " + toString(I.takeError()));
  return I;
}

} // namespace kpack::softgpu
