//===- ModifierParser.cpp - parser of instruction modifiers ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses "offset:4", "glc", "row_shl:1", "op_sel:[0,1]" with one table of
// names. The opcode's table entry decides whether an instruction may have a
// modifier.
//
//===----------------------------------------------------------------------===//
#include "OperandParser.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <optional>

using namespace llvm;

namespace kpack::softgpu {

namespace {
/// Applies the text after the colon. Returns false on failure.
using Apply = bool (*)(Instruction &I, StringRef Value);

struct ModifierInfo {
  StringLiteral Name;
  bool HasValue;
  Apply Set;
};
} // namespace

static bool parseUnsigned(StringRef Text, uint64_t Maximum, uint64_t &Value) {
  int64_t Number;
  if (!parseNumber(Text, Number) || Number < 0 || uint64_t(Number) > Maximum)
    return false;
  Value = uint64_t(Number);
  return true;
}

/// Parses "[a,b,c]" with elements up to \p Maximum.
static bool parseList(StringRef Text, uint64_t Maximum,
                      SmallVectorImpl<uint64_t> &Values) {
  if (!Text.consume_front("[") || !Text.consume_back("]"))
    return false;
  SmallVector<StringRef, 8> Parts;
  Text.split(Parts, ',');
  for (StringRef Part : Parts) {
    uint64_t Value;
    if (!parseUnsigned(Part.trim(), Maximum, Value))
      return false;
    Values.push_back(Value);
  }
  return Values.size() <= 8;
}

template <uint8_t Instruction::*Field, Modifier Flag>
static bool setBits(Instruction &I, StringRef Text) {
  SmallVector<uint64_t, 8> Bits;
  if (!parseList(Text, 1, Bits))
    return false;
  I.*Field = 0;
  for (size_t N = 0; N < Bits.size(); ++N)
    I.*Field |= uint8_t(Bits[N] << N);
  I.Modifiers |= Flag;
  return true;
}

template <uint8_t Instruction::*Field, Modifier Flag, unsigned Maximum>
static bool setNumber(Instruction &I, StringRef Text) {
  uint64_t Value;
  if (!parseUnsigned(Text, Maximum, Value))
    return false;
  I.*Field = uint8_t(Value);
  I.Modifiers |= Flag;
  return true;
}

template <Modifier Flag> static bool setFlag(Instruction &I, StringRef) {
  I.Modifiers |= Flag;
  return true;
}

/// Handles glc and sc0: an atomic returns the old value; elsewhere they are a
/// hint.
static bool setReturnFlag(Instruction &I, StringRef) {
  bool Atomic = StringRef(I.Mnemonic).contains("_atomic");
  I.Modifiers |= Atomic ? ModReturn : ModCache;
  return true;
}

static bool setTemporalHint(Instruction &I, StringRef Text) {
  // Reserved values print as numbers.
  if (!Text.starts_with("TH_") || Text.contains("0x"))
    return false;
  I.Modifiers |= ModCache;
  if (Text.starts_with("TH_ATOMIC_") && Text.ends_with("RETURN"))
    I.Modifiers |= ModReturn;
  return true;
}

static bool setScope(Instruction &I, StringRef Text) {
  I.Modifiers |= ModCache;
  return Text.starts_with("SCOPE_");
}

static bool setMultiply(Instruction &I, StringRef Text) {
  I.Omod = Text == "2" ? 1 : Text == "4" ? 2 : 0;
  I.Modifiers |= ModOmod;
  return I.Omod;
}

static bool setDivide(Instruction &I, StringRef Text) {
  I.Omod = 3;
  I.Modifiers |= ModOmod;
  return Text == "2";
}

/// Parses the mask of BITMASK_PERM: a letter for each bit, highest first.
static bool parseBitmask(StringRef Text, int64_t &Offset) {
  if (!Text.consume_front("\"") || !Text.consume_back("\"") || Text.size() != 5)
    return false;
  unsigned And = 0, Or = 0, Xor = 0;
  for (char C : Text) {
    And = And << 1 | (C == 'p' || C == 'i');
    Or = Or << 1 | (C == '1');
    Xor = Xor << 1 | (C == 'i');
    if (C != 'p' && C != 'i' && C != '0' && C != '1')
      return false;
  }
  Offset = And | Or << 5 | Xor << 10;
  return true;
}

/// Parses the words in swizzle(...), ds_swizzle_b32's offset field.
static bool parseSwizzle(StringRef Text, int64_t &Offset) {
  SmallVector<StringRef, 8> Parts;
  Text.split(Parts, ',');
  StringRef Mode = Parts[0].trim();
  if (Mode == "BITMASK_PERM")
    return Parts.size() == 2 && parseBitmask(Parts[1].trim(), Offset);
  SmallVector<uint64_t, 4> N;
  for (StringRef Part : ArrayRef(Parts).drop_front()) {
    uint64_t Value;
    if (!parseUnsigned(Part.trim(), 32, Value))
      return false;
    N.push_back(Value);
  }
  if (Mode == "QUAD_PERM" && N.size() == 4) {
    Offset = int64_t(0x8000 | N[0] | N[1] << 2 | N[2] << 4 | N[3] << 6);
    return (N[0] | N[1] | N[2] | N[3]) < 4;
  }
  if (Mode == "SWAP" && N.size() == 1) {
    Offset = int64_t(0x1f | N[0] << 10);
    return N[0] >= 1 && N[0] <= 16;
  }
  if (Mode == "REVERSE" && N.size() == 1) {
    Offset = int64_t(0x1f | (N[0] - 1) << 10);
    return N[0] >= 2;
  }
  if (Mode == "BROADCAST" && N.size() == 2) {
    Offset = int64_t((32 - N[0]) | N[1] << 5);
    return N[0] >= 2 && N[1] < N[0];
  }
  if (Mode == "FFT" && N.size() == 1) {
    Offset = int64_t(0xe000 | N[0]);
    return N[0] < 32;
  }
  if (Mode == "ROTATE" && N.size() == 2) {
    Offset = int64_t(0xc000 | N[0] << 10 | N[1] << 5);
    return N[0] < 2 && N[1] < 32;
  }
  return false;
}

static bool setOffset(Instruction &I, StringRef Text) {
  I.Modifiers |= ModOffset;
  if (Text.consume_front("swizzle("))
    return Text.consume_back(")") && parseSwizzle(Text, I.Offset);
  return parseNumber(Text, I.Offset);
}

static bool setFormat(Instruction &I, StringRef Text) {
  std::optional<BufferFormat> Format = BufferFormat::parse(Text);
  if (!Format)
    return false;
  I.Modifiers |= ModFormat;
  I.Format = *Format;
  return true;
}

//===- Data-parallel primitives -------------------------------------------===//

static bool setDpp(Instruction &I, DppControl::Kind What, uint64_t Argument) {
  I.Modifiers |= ModDpp;
  I.Dpp.What = What;
  I.Dpp.Argument = uint32_t(Argument);
  return true;
}

template <DppControl::Kind What, unsigned Minimum, unsigned Maximum>
static bool setRow(Instruction &I, StringRef Text) {
  uint64_t Value;
  return parseUnsigned(Text, Maximum, Value) && Value >= Minimum &&
         setDpp(I, What, Value);
}

template <DppControl::Kind What>
static bool setMirror(Instruction &I, StringRef) {
  return setDpp(I, What, 0);
}

static bool setBroadcast(Instruction &I, StringRef Text) {
  if (Text == "15")
    return setDpp(I, DppControl::Kind::RowBcast15, 15);
  return Text == "31" && setDpp(I, DppControl::Kind::RowBcast31, 31);
}

template <DppControl::Kind What, unsigned Count, unsigned Width>
static bool setPermutation(Instruction &I, StringRef Text) {
  SmallVector<uint64_t, 8> Lanes;
  if (!parseList(Text, (1u << Width) - 1, Lanes) || Lanes.size() != Count)
    return false;
  uint64_t Argument = 0;
  for (unsigned N = 0; N < Count; ++N)
    Argument |= Lanes[N] << (N * Width);
  return setDpp(I, What, Argument);
}

template <uint8_t DppControl::*Field>
static bool setDppMask(Instruction &I, StringRef Text) {
  uint64_t Value;
  if (!parseUnsigned(Text, 15, Value))
    return false;
  I.Dpp.*Field = uint8_t(Value);
  I.Modifiers |= ModDpp;
  return true;
}

/// The printer writes bound_ctrl:1 for a set bit and nothing otherwise; sources
/// for gfx8 and gfx9 also spell the set bit bound_ctrl:0.
static bool setBoundControl(Instruction &I, StringRef Text) {
  I.Dpp.BoundControl = true;
  I.Modifiers |= ModDpp;
  return Text == "1" || Text == "0";
}

static bool setFetchInactive(Instruction &I, StringRef Text) {
  I.Dpp.FetchInactive = Text == "1";
  I.Modifiers |= ModDpp;
  return Text == "1" || Text == "0";
}

//===- Sub-dword addressing -----------------------------------------------===//

template <SdwaControl::Select SdwaControl::*Field>
static bool setSelect(Instruction &I, StringRef Text) {
  using Select = SdwaControl::Select;
  auto Value = StringSwitch<std::optional<Select>>(Text)
                   .Case("BYTE_0", Select::Byte0)
                   .Case("BYTE_1", Select::Byte1)
                   .Case("BYTE_2", Select::Byte2)
                   .Case("BYTE_3", Select::Byte3)
                   .Case("WORD_0", Select::Word0)
                   .Case("WORD_1", Select::Word1)
                   .Case("DWORD", Select::Dword)
                   .Default(std::nullopt);
  if (!Value)
    return false;
  I.Modifiers |= ModSdwa;
  I.Sdwa.Present = true;
  I.Sdwa.*Field = *Value;
  return true;
}

static bool setUnused(Instruction &I, StringRef Text) {
  using Unused = SdwaControl::Unused;
  I.Modifiers |= ModSdwa;
  I.Sdwa.Present = true;
  I.Sdwa.Rest = Text == "UNUSED_SEXT"       ? Unused::Sext
                : Text == "UNUSED_PRESERVE" ? Unused::Preserve
                                            : Unused::Pad;
  return I.Sdwa.Rest != Unused::Pad || Text == "UNUSED_PAD";
}

//===----------------------------------------------------------------------===//

using Dpp = DppControl::Kind;

static constexpr ModifierInfo Table[] = {
    {"abid", true, setNumber<&Instruction::Abid, ModMatrix, 15>},
    {"bank_mask", true, setDppMask<&DppControl::BankMask>},
    {"blgp", true, setNumber<&Instruction::Blgp, ModMatrix, 7>},
    {"bound_ctrl", true, setBoundControl},
    {"byte_sel", true, setNumber<&Instruction::ByteSel, ModByteSel, 3>},
    {"cbsz", true, setNumber<&Instruction::Cbsz, ModMatrix, 7>},
    {"clamp", false, setFlag<ModClamp>},
    {"div", true, setDivide},
    {"dlc", false, setFlag<ModCache>},
    {"dpp8", true, setPermutation<Dpp::Dpp8, 8, 3>},
    {"dst_sel", true, setSelect<&SdwaControl::Destination>},
    {"dst_unused", true, setUnused},
    {"fi", true, setFetchInactive},
    {"format", true, setFormat},
    {"gds", false, setFlag<ModGds>},
    {"glc", false, setReturnFlag},
    {"idxen", false, setFlag<ModIdxen>},
    {"index_key", true, setNumber<&Instruction::IndexKey, ModIndexKey, 3>},
    {"lds", false, setFlag<ModLds>},
    {"mul", true, setMultiply},
    {"neg", true, setBits<&Instruction::NegLo, ModNegLo>},
    {"neg_hi", true, setBits<&Instruction::NegHi, ModNegHi>},
    {"neg_lo", true, setBits<&Instruction::NegLo, ModNegLo>},
    {"nt", false, setFlag<ModCache>},
    {"offen", false, setFlag<ModOffen>},
    {"offset", true, setOffset},
    {"offset0", true, setNumber<&Instruction::Offset0, ModOffset01, 255>},
    {"offset1", true, setNumber<&Instruction::Offset1, ModOffset01, 255>},
    {"op_sel", true, setBits<&Instruction::OpSel, ModOpSel>},
    {"op_sel_hi", true, setBits<&Instruction::OpSelHi, ModOpSelHi>},
    {"quad_perm", true, setPermutation<Dpp::QuadPerm, 4, 2>},
    {"row_bcast", true, setBroadcast},
    {"row_half_mirror", false, setMirror<Dpp::RowHalfMirror>},
    {"row_mask", true, setDppMask<&DppControl::RowMask>},
    {"row_mirror", false, setMirror<Dpp::RowMirror>},
    {"row_newbcast", true, setRow<Dpp::RowShare, 0, 15>},
    {"row_ror", true, setRow<Dpp::RowRor, 1, 15>},
    {"row_share", true, setRow<Dpp::RowShare, 0, 15>},
    {"row_shl", true, setRow<Dpp::RowShl, 1, 15>},
    {"row_shr", true, setRow<Dpp::RowShr, 1, 15>},
    {"row_xmask", true, setRow<Dpp::RowXmask, 0, 15>},
    {"sc0", false, setReturnFlag},
    {"sc1", false, setFlag<ModCache>},
    {"scc", false, setFlag<ModCache>},
    {"scope", true, setScope},
    {"slc", false, setFlag<ModCache>},
    {"src0_sel", true, setSelect<&SdwaControl::Source0>},
    {"src1_sel", true, setSelect<&SdwaControl::Source1>},
    {"tfe", false, setFlag<ModTfe>},
    {"th", true, setTemporalHint},
    {"wait_exp", true, setFlag<ModWaitExp>},
    {"wait_va_vdst", true, setFlag<ModWaitExp>},
    {"wait_vdst", true, setFlag<ModWaitExp>},
    {"wait_vm_vsrc", true, setFlag<ModWaitExp>},
    {"wave_rol", true, setRow<Dpp::WaveRol, 1, 1>},
    {"wave_ror", true, setRow<Dpp::WaveRor, 1, 1>},
    {"wave_shl", true, setRow<Dpp::WaveShl, 1, 1>},
    {"wave_shr", true, setRow<Dpp::WaveShr, 1, 1>},
};

static const ModifierInfo *find(StringRef Text) {
  auto Colon = Text.find(':');
  StringRef Name = Text.take_front(Colon);
  for (const ModifierInfo &M : Table)
    if (M.Name == Name && M.HasValue == (Colon != StringRef::npos))
      return &M;
  return nullptr;
}

bool isModifier(StringRef Text) { return find(Text); }

Error parseModifier(StringRef Text, Instruction &I) {
  const ModifierInfo *M = find(Text);
  if (!M || !M->Set(I, Text.split(':').second))
    return createStringError("unknown modifier '" + Text + "'");
  return Error::success();
}

std::string describeModifiers(uint32_t Modifiers) {
  // In the order of the bits.
  static constexpr StringLiteral Names =
      "clamp omod op_sel op_sel_hi neg_lo neg_hi offset offset0/offset1 return "
      "cache offen idxen lds gds cbsz/abid/blgp dpp sdwa neg abs sext gpr_idx "
      "tfe wait_exp byte_sel index_key format";
  std::string Result;
  for (StringRef Name : split(Names, ' ')) {
    if (Modifiers & 1)
      Result += (Result.empty() ? "" : ", ") + Name.str();
    Modifiers >>= 1;
  }
  return Result;
}

} // namespace kpack::softgpu
