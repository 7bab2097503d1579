//===- Decoder.cpp - decoder of machine code ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets up libLLVM's disassembler and printer once for each decoder. The MCInst
// is of no use: the library does not export named operand indices.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Isa/Decoder.h"

#include "ToolSupport/McDisassembler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>

using namespace llvm;

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace kpack::softgpu {

char DecodeError::ID = 0;

Decoder::~Decoder() = default;

namespace {
class McDecoder : public Decoder {
public:
  explicit McDecoder(const Semantics &Known) : Known(Known) {}
  static Expected<std::unique_ptr<Decoder>>
  create(const Target &Isa, bool Wave64, const Semantics &Known);
  Expected<std::unique_ptr<Instruction>> decode(ArrayRef<uint8_t> Bytes,
                                                uint64_t Address) override;

private:
  const Semantics &Known;
  std::unique_ptr<McDisassembler> Mc;
  std::unique_ptr<MCInstPrinter> Printer;
  bool IsGfx9 = false, IsGfx12 = false, HasSdwa = false;
};
} // namespace

static void registerTarget() {
  static const bool Initialised = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    return true;
  }();
  (void)Initialised;
}

/// Returns the wave size as a feature of the subtarget, if there is a choice.
static StringRef waveFeature(const Target &Isa, bool Wave64) {
  if (!Isa.isGfx10Plus())
    return "";
  return Wave64 ? "-wavefrontsize32,+wavefrontsize64"
                : "+wavefrontsize32,-wavefrontsize64";
}

Expected<std::unique_ptr<Decoder>>
McDecoder::create(const Target &Isa, bool Wave64, const Semantics &Known) {
  auto D = std::make_unique<McDecoder>(Known);
  registerTarget();
  if (Error E = McDisassembler::create(Triple("amdgcn-amd-amdhsa"),
                                       Isa.Processor, waveFeature(Isa, Wave64))
                    .moveInto(D->Mc))
    return std::move(E);
  D->Printer.reset(D->Mc->Target->createMCInstPrinter(
      D->Mc->Machine, D->Mc->Syntax->getAssemblerDialect(), *D->Mc->Syntax,
      *D->Mc->Instructions, *D->Mc->Registers));
  if (!D->Printer)
    return createStringError("processor '" + Isa.Processor +
                             "': this LLVM has no printer for it");
  D->IsGfx9 = Isa.isGfx9();
  D->IsGfx12 = Isa.isGfx12Plus();
  D->HasSdwa = !Isa.isGfx11Plus();
  // parseInstruction tells inline constants (decimal) and literals (0x) apart.
  D->Printer->setPrintImmHex(false);
  return D;
}

/// True if the SDWA fields (VOP1, VOP2, VOPC of gfx9 and gfx10 with source
/// 0xf9) have valid values. LLVM's printer has undefined behaviour for others,
/// and code may be hostile.
static bool hasValidSdwaFields(ArrayRef<uint8_t> Bytes) {
  uint32_t First = support::endian::read32le(Bytes.data());
  uint32_t Sdwa = support::endian::read32le(Bytes.data() + 4);
  if ((First & 0x1ff) != 0xf9 || First >> 31)
    return true;
  constexpr uint32_t Vop1 = 0x3f, Vopc = 0x3e;
  uint32_t Encoding = First >> 25;
  auto IsSelect = [&](unsigned Shift) { return (Sdwa >> Shift & 7) != 7; };
  if (Encoding != Vopc && (!IsSelect(8) || (Sdwa >> 11 & 3) == 3))
    return false;
  return IsSelect(16) && (Encoding == Vop1 || IsSelect(24));
}

/// True if a gfx9 instruction asks for a literal (operand 255) in an encoding
/// that has no room for one: undefined behaviour in LLVM's disassembler.
static bool hasImpossibleLiteral(ArrayRef<uint8_t> Bytes) {
  constexpr uint32_t Literal = 255, Vop3 = 0x34, Mubuf = 0x38, Mtbuf = 0x3a;
  uint32_t First = support::endian::read32le(Bytes.data());
  uint32_t Second = support::endian::read32le(Bytes.data() + 4);
  uint32_t Encoding = First >> 26;
  if (Encoding == Mubuf || Encoding == Mtbuf)
    return Second >> 24 == Literal;
  if (Encoding != Vop3)
    return false;
  for (unsigned Shift : {0, 9, 18})
    if ((Second >> Shift & 0x1ff) == Literal)
      return true;
  // Comparisons and v_readlane_b32 have a scalar destination.
  uint32_t Opcode = First >> 16 & 0x3ff;
  return (Opcode < 0x100 || Opcode == 0x289) && (First & 0xff) == Literal;
}

/// True if the literal of v_fmamk_f16 or v_fmaak_f16 (VOP2 55 and 56; on gfx9
/// v_madmk_f16 and v_madak_f16, 36 and 37) is 255: LLVM takes it for an operand
/// that asks for a second literal, and its message is undefined behaviour.
static bool hasLiteralForLiteral(ArrayRef<uint8_t> Bytes, bool IsGfx9) {
  uint32_t Encoding = support::endian::read32le(Bytes.data()) >> 25;
  uint32_t First = IsGfx9 ? 36 : 55;
  return (Encoding == First || Encoding == First + 1) &&
         support::endian::read32le(Bytes.data() + 4) == 255;
}

/// True if the barrier of a gfx12 instruction (SOP1 78 to 82, from
/// s_barrier_signal to s_barrier_join) is a literal. Only inline constants and
/// m0 are valid; a literal is undefined behaviour in LLVM's disassembler.
static bool hasLiteralForBarrier(ArrayRef<uint8_t> Bytes) {
  constexpr uint32_t Literal = 255, Sop1 = 0x17d;
  uint32_t First = support::endian::read32le(Bytes.data());
  uint32_t Opcode = First >> 8 & 0xff;
  return First >> 23 == Sop1 && Opcode >= 78 && Opcode <= 82 &&
         (First & 0xff) == Literal;
}

Expected<std::unique_ptr<Instruction>>
McDecoder::decode(ArrayRef<uint8_t> Bytes, uint64_t Address) {
  // Append zeros: the disassembler's message about a truncated literal is
  // undefined behaviour. We check Size below instead.
  std::array<uint8_t, 32> Padded{};
  std::copy_n(Bytes.begin(), std::min(Bytes.size(), Padded.size()),
              Padded.begin());
  MCInst Decoded;
  uint64_t Size = 0;
  auto Status = MCDisassembler::Fail;
  if ((!HasSdwa || hasValidSdwaFields(Padded)) &&
      !(IsGfx9 && hasImpossibleLiteral(Padded)) &&
      !hasLiteralForLiteral(Padded, IsGfx9) &&
      !(IsGfx12 && hasLiteralForBarrier(Padded)))
    Status =
        Mc->Decoder->getInstruction(Decoded, Size, Padded, Address, nulls());
  // SoftFail: reserved bits that hardware ignores.
  if (Status == MCDisassembler::Fail || Size == 0 || Size > Bytes.size()) {
    std::string Hex = toHex(Bytes.take_front(8), /*LowerCase=*/true);
    return make_error<DecodeError>(DecodeError::Kind::NoInstruction, "",
                                   "no instruction of " +
                                       Mc->Subtarget->getCPU().str() +
                                       " begins with the bytes " + Hex);
  }
  std::string Text;
  raw_string_ostream Out(Text);
  Printer->printInst(&Decoded, Address, "", *Mc->Subtarget, Out);
  StringRef Printed = StringRef(Text).trim();
  auto I = parseInstruction(Printed, Address, uint32_t(Size), Known);
  if (!I)
    return make_error<DecodeError>(DecodeError::Kind::NoSemantics,
                                   Printed.str(), toString(I.takeError()));
  return I;
}

Expected<std::unique_ptr<Decoder>>
Decoder::create(const Target &Isa, bool Wave64, const Semantics &Known) {
  if (Isa.isGfx9() && !Wave64)
    return createStringError("processor '" + Isa.Processor +
                             "': has no wave32");
  return McDecoder::create(Isa, Wave64, Known);
}

} // namespace kpack::softgpu
