//===- OperandParser.cpp - parser of instruction operands -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses registers, constants and the symbolic operands of scalar instructions.
// Checks every register number against our register files, so that handlers
// need not.
//
//===----------------------------------------------------------------------===//
#include "OperandParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <bit>
#include <optional>

using namespace llvm;

namespace kpack::softgpu {

static Error unknownOperand(StringRef Text) {
  return createStringError("unknown operand '" + Text + "'");
}

bool parseNumber(StringRef Text, int64_t &Value) {
  bool Negative = Text.consume_front("-");
  unsigned Radix = Text.consume_front("0x") ? 16 : 10;
  uint64_t Magnitude;
  if (Text.getAsInteger(Radix, Magnitude))
    return false;
  Value = int64_t(Negative ? 0 - Magnitude : Magnitude);
  return true;
}

/// Parses "5" or "[4:7]" or "[4]" after a register's letter.
static bool parseRange(StringRef Text, unsigned &First, unsigned &Count) {
  if (!Text.consume_front("[")) {
    Count = 1;
    return !Text.getAsInteger(10, First) && First < 1024;
  }
  if (!Text.consume_back("]"))
    return false;
  auto [Low, High] = Text.split(':');
  unsigned Last;
  if (Low.getAsInteger(10, First))
    return false;
  if (High.empty())
    Last = First;
  else if (High.getAsInteger(10, Last))
    return false;
  if (Last < First || Last >= 1024)
    return false;
  Count = Last - First + 1;
  return Count <= 32;
}

/// Parses v5, v[0:3], a[0:31], s7, s[0:1], ttmp3, ttmp[2:3], v1.l.
static std::optional<Operand> parseNumberedRegister(StringRef Text) {
  struct File {
    StringLiteral Prefix;
    Operand::Kind What;
    unsigned Base;
    unsigned Size;
  };
  static constexpr File Files[] = {
      {"v", Operand::Kind::Vgpr, 0, FirstAccVgpr},
      {"a", Operand::Kind::Vgpr, FirstAccVgpr,
       VectorRegisterCount - FirstAccVgpr},
      {"s", Operand::Kind::Sgpr, 0, SgprCount},
      {"ttmp", Operand::Kind::Sgpr, Ttmp0, M0 - Ttmp0},
  };
  for (const File &F : Files) {
    StringRef Rest = Text;
    if (!Rest.consume_front(F.Prefix) || Rest.empty() ||
        !(isDigit(Rest[0]) || Rest[0] == '['))
      continue;
    Operand O;
    if (F.What == Operand::Kind::Vgpr) {
      if (Rest.consume_back(".l"))
        O.Part = Operand::Half::Low;
      else if (Rest.consume_back(".h"))
        O.Part = Operand::Half::High;
    }
    unsigned First, Count;
    if (!parseRange(Rest, First, Count) || First + Count > F.Size)
      return std::nullopt;
    O.What = F.What;
    O.Index = uint16_t(F.Base + First);
    O.Dwords = uint8_t(Count);
    return O;
  }
  return std::nullopt;
}

static std::optional<Operand> parseNamedRegister(StringRef Text) {
  struct Named {
    Operand::Kind What = Operand::Kind::None;
    unsigned Index = 0;
    unsigned Dwords = 1;
  };
  using Kind = Operand::Kind;
  Named N = StringSwitch<Named>(Text)
                .Case("vcc", {Kind::Sgpr, VccLo, 2})
                .Case("vcc_lo", {Kind::Sgpr, VccLo, 1})
                .Case("vcc_hi", {Kind::Sgpr, VccHi, 1})
                .Case("exec", {Kind::Sgpr, ExecLo, 2})
                .Case("exec_lo", {Kind::Sgpr, ExecLo, 1})
                .Case("exec_hi", {Kind::Sgpr, ExecHi, 1})
                .Case("m0", {Kind::Sgpr, M0, 1})
                .Case("flat_scratch", {Kind::Sgpr, FlatScratchLo, 2})
                .Case("flat_scratch_lo", {Kind::Sgpr, FlatScratchLo, 1})
                .Case("flat_scratch_hi", {Kind::Sgpr, FlatScratchHi, 1})
                .Case("xnack_mask", {Kind::Sgpr, XnackMaskLo, 2})
                .Case("xnack_mask_lo", {Kind::Sgpr, XnackMaskLo, 1})
                .Case("xnack_mask_hi", {Kind::Sgpr, XnackMaskHi, 1})
                .Case("null", {Kind::Null, 0, 1})
                .Case("off", {Kind::Off, 0, 1})
                .Case("src_scc", Named{Kind::Scc, 0, 1})
                .Case("scc", Named{Kind::Scc, 0, 1})
                .Case("src_vccz", Named{Kind::Vccz, 0, 1})
                .Case("vccz", Named{Kind::Vccz, 0, 1})
                .Case("src_execz", Named{Kind::Execz, 0, 1})
                .Case("execz", Named{Kind::Execz, 0, 1})
                .Case("src_shared_base", {Kind::SharedBase, 0, 2})
                .Case("src_shared_limit", {Kind::SharedLimit, 0, 2})
                .Case("src_private_base", {Kind::PrivateBase, 0, 2})
                .Case("src_private_limit", {Kind::PrivateLimit, 0, 2})
                .Default({});
  if (N.What == Kind::None)
    return std::nullopt;
  return Operand{
      .What = N.What, .Dwords = uint8_t(N.Dwords), .Index = uint16_t(N.Index)};
}

/// Parses a constant. Inline floats print with a point, integers in decimal,
/// literals in hexadecimal (or in lit() if they would look like an inline
/// constant).
static std::optional<Operand> parseConstant(StringRef Text) {
  Operand O;
  O.What = Operand::Kind::Constant;
  StringRef Inner = Text;
  bool Lit64 = Inner.consume_front("lit64(");
  bool Lit = !Lit64 && Inner.consume_front("lit(");
  if ((Lit || Lit64) && !Inner.consume_back(")"))
    return std::nullopt;
  int64_t Number;
  if (parseNumber(Inner, Number)) {
    O.Value = uint64_t(Number);
    O.Literal = !Lit64 && (Lit || Inner.contains("0x"));
    return O;
  }
  StringRef Digits = Inner;
  Digits.consume_front("-");
  if (Lit || Lit64 || !Digits.contains('.') ||
      Digits.find_first_not_of("0123456789.") != StringRef::npos ||
      Inner.getAsDouble(O.FloatValue))
    return std::nullopt;
  O.Float = true;
  // 1/(2 pi) is printed with the digits of its format; the nearest double
  // rounds to the hardware's constant in each format.
  if (Digits.starts_with("0.1591"))
    O.FloatValue = std::bit_cast<double>(uint64_t(0x3fc45f306dc9c882));
  return O;
}

/// Returns the id of a hwreg name, as in the encoding; HardwareRegisters.cpp
/// knows the meaning, which depends on the architecture.
static std::optional<unsigned> hardwareRegisterId(StringRef Name) {
  return StringSwitch<std::optional<unsigned>>(Name)
      .Case("HW_REG_MODE", 1)
      .Case("HW_REG_WAVE_MODE", 1)
      .Case("HW_REG_STATUS", 2)
      .Case("HW_REG_WAVE_STATUS", 2)
      .Case("HW_REG_TRAPSTS", 3)
      .Case("HW_REG_HW_ID", 4)
      .Case("HW_REG_WAVE_STATE_PRIV", 4)
      .Case("HW_REG_GPR_ALLOC", 5)
      .Case("HW_REG_WAVE_GPR_ALLOC", 5)
      .Case("HW_REG_LDS_ALLOC", 6)
      .Case("HW_REG_WAVE_LDS_ALLOC", 6)
      .Case("HW_REG_IB_STS", 7)
      .Case("HW_REG_SH_MEM_BASES", 15)
      .Case("HW_REG_FLAT_SCR_LO", 20)
      .Case("HW_REG_WAVE_SCRATCH_BASE_LO", 20)
      .Case("HW_REG_XCC_ID", 20)
      .Case("HW_REG_FLAT_SCR_HI", 21)
      .Case("HW_REG_WAVE_SCRATCH_BASE_HI", 21)
      .Case("HW_REG_HW_ID1", 23)
      .Case("HW_REG_WAVE_HW_ID1", 23)
      .Case("HW_REG_HW_ID2", 24)
      .Case("HW_REG_WAVE_HW_ID2", 24)
      .Case("HW_REG_WAVE_SCHED_MODE", 26)
      .Case("HW_REG_SHADER_CYCLES", 29)
      .Case("HW_REG_SHADER_CYCLES_LO", 29)
      .Case("HW_REG_SHADER_CYCLES_HI", 30)
      .Default(std::nullopt);
}

/// Parses the text in hwreg(id, offset, size).
static std::optional<Operand> parseHardwareRegister(StringRef Inner) {
  SmallVector<StringRef, 3> Parts;
  Inner.split(Parts, ',');
  int64_t Id, Offset = 0, Size = 32;
  if (auto Named = hardwareRegisterId(Parts[0].trim()))
    Id = *Named;
  else if (!parseNumber(Parts[0].trim(), Id))
    return std::nullopt;
  if (Parts.size() != 1 &&
      (Parts.size() != 3 || !parseNumber(Parts[1].trim(), Offset) ||
       !parseNumber(Parts[2].trim(), Size)))
    return std::nullopt;
  if (Id < 0 || Id > 63 || Offset < 0 || Offset > 31 || Size < 1 || Size > 32)
    return std::nullopt;
  return Operand{.What = Operand::Kind::HardwareRegister,
                 .Value = uint64_t(Id | Offset << 6 | (Size - 1) << 11)};
}

static uint64_t messageId(StringRef Name) {
  return StringSwitch<uint64_t>(Name)
      .Case("MSG_INTERRUPT", 1)
      .Case("MSG_DEALLOC_VGPRS", 3)
      .Case("MSG_RTN_GET_DOORBELL", 128)
      .Case("MSG_RTN_GET_REALTIME", 131)
      .Default(~uint64_t(0));
}

static std::optional<Operand> parseSymbol(StringRef Text) {
  if (!Text.consume_back(")"))
    return std::nullopt;
  if (Text.consume_front("hwreg("))
    return parseHardwareRegister(Text);
  Operand O;
  O.What = Operand::Kind::Symbol;
  if (Text.consume_front("sendmsg(")) {
    O.Value = messageId(Text);
    return O;
  }
  if (!Text.consume_front("gpr_idx("))
    return std::nullopt;
  SmallVector<StringRef, 4> Parts;
  Text.split(Parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef Part : Parts) {
    unsigned Bit = StringSwitch<unsigned>(Part.trim())
                       .Case("SRC0", 1)
                       .Case("SRC1", 2)
                       .Case("SRC2", 4)
                       .Case("DST", 8)
                       .Default(0);
    if (!Bit)
      return std::nullopt;
    O.Value |= Bit;
  }
  return O;
}

static bool consumeWrapped(StringRef &Text, StringRef Open, StringRef Close) {
  StringRef Inner = Text;
  if (!Inner.consume_front(Open) || !Inner.consume_back(Close))
    return false;
  Text = Inner;
  return true;
}

Expected<Operand> parseOperand(StringRef Text) {
  StringRef Inner = Text;
  bool Sext = consumeWrapped(Inner, "sext(", ")");
  bool Neg = consumeWrapped(Inner, "neg(", ")");
  if (!Neg && Inner.size() > 1 && Inner[0] == '-' && !isDigit(Inner[1])) {
    Neg = true;
    Inner = Inner.drop_front();
  }
  bool Abs =
      consumeWrapped(Inner, "|", "|") || consumeWrapped(Inner, "abs(", ")");

  std::optional<Operand> O = parseNumberedRegister(Inner);
  if (!O)
    O = parseNamedRegister(Inner);
  if (!O)
    O = parseConstant(Inner);
  if (!O && !Neg && !Abs && !Sext)
    O = parseSymbol(Inner);
  if (!O)
    return unknownOperand(Text);
  O->Neg = Neg;
  O->Abs = Abs;
  O->Sext = Sext;
  return *O;
}

} // namespace kpack::softgpu
