//===- DecoderTest.cpp - tests of the instruction decoder -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Encodings are llvm-mc's (-show-encoding). Semantics of what is decoded are
// tested next to each group of opcodes.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/CodeCache.h"
#include "SoftGpu/Machine/Opcodes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

#include "gtest/gtest.h"
#include <cstdlib>
#include <cstring>
#include <set>
#include <sys/mman.h>
#include <thread>

using namespace kpack::softgpu;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {

using Bytes = std::vector<uint8_t>;

std::unique_ptr<Decoder> makeDecoder(const char *Processor, bool Wave64) {
  auto Isa = Target::get(Processor);
  if (!Isa)
    return nullptr;
  auto D = Decoder::create(*Isa, Wave64, machineSemantics());
  if (!D)
    return nullptr;
  return std::move(*D);
}

/// Decodes; null and a failed test where that is refused.
std::unique_ptr<Instruction> decode(const char *Processor, const Bytes &Code,
                                    bool Wave64 = false) {
  bool IsGfx9 = StringRef(Processor).starts_with("gfx9");
  auto D = makeDecoder(Processor, Wave64 || IsGfx9);
  if (!D) {
    ADD_FAILURE() << "no decoder for " << Processor;
    return nullptr;
  }
  auto I = D->decode(Code, 0x10000);
  if (!I) {
    ADD_FAILURE() << llvm::toString(I.takeError());
    return nullptr;
  }
  return std::move(*I);
}

std::unique_ptr<Instruction> parse(const char *Text) {
  auto I = parseInstruction(Text, 0x10000, 4, machineSemantics());
  if (!I) {
    ADD_FAILURE() << llvm::toString(I.takeError());
    return nullptr;
  }
  return std::move(*I);
}

std::string refusal(const char *Text) {
  auto I = parseInstruction(Text, 0, 4, machineSemantics());
  return I ? "accepted" : llvm::toString(I.takeError());
}

TEST(Decoder, SizesAndText) {
  struct Row {
    const char *Processor;
    Bytes Code;
    unsigned Size;
    const char *Text;
  };
  const Row Rows[] = {
      {"gfx90a", {0, 0, 0x80, 0xbf}, 4, "s_nop 0"},
      {"gfx90a",
       {0x01, 0xff, 0x00, 0x80, 0x78, 0x56, 0x34, 0x12},
       8,
       "s_add_u32 s0, s1, 0x12345678"},
      {"gfx942",
       {0x05, 0x05, 0x00, 0x32},
       4,
       "v_add_co_u32_e32 v0, vcc, v5, v2"},
      {"gfx1030",
       {0x01, 0x05, 0x88, 0x7d},
       4,
       "v_cmp_gt_u32_e32 vcc_lo, v1, v2"},
      {"gfx1100",
       {0x01, 0x05, 0xd0, 0xc8, 0xf2, 0x00, 0x02, 0x00},
       8,
       "v_dual_mul_f32 v0, v1, v2 :: v_dual_mov_b32 v3, 1.0"},
      {"gfx1201",
       {0x01, 0x20, 0x01, 0xf4, 0xf0, 0xff, 0xff, 0xf8},
       8,
       "s_load_u8 s0, s[2:3], -0x10"},
  };
  for (const Row &R : Rows) {
    auto I = decode(R.Processor, R.Code);
    ASSERT_TRUE(I) << R.Text;
    EXPECT_EQ(I->Text, R.Text);
    EXPECT_EQ(I->Size, R.Size);
    EXPECT_EQ(I->Address, 0x10000u);
    EXPECT_NE(I->Execute, nullptr);
  }
}

TEST(Decoder, WaveSizeIsAFeature) {
  const Bytes Compare{0x01, 0x05, 0x98, 0x7c}; // v_cmp_gt_u32_e32
  EXPECT_EQ(decode("gfx1100", Compare, false)->Operands[0].Dwords, 1);
  EXPECT_EQ(decode("gfx1100", Compare, true)->Operands[0].Dwords, 2);
  auto Isa = Target::get("gfx90a");
  auto D = Decoder::create(*Isa, /*Wave64=*/false, machineSemantics());
  ASSERT_FALSE(D);
  EXPECT_NE(llvm::toString(D.takeError()).find("wave32"), std::string::npos);
}

TEST(Decoder, DecodesConstants) {
  // An inline integer, sign-extended.
  auto I = decode("gfx90a", {0xc1, 0x01, 0x80, 0xbe});
  EXPECT_EQ(I->Operands[1].Value, ~uint64_t(0));
  EXPECT_FALSE(I->Operands[1].Literal);
  // A literal, zero-extended.
  I = decode("gfx1030", {0xff, 0x04, 0x80, 0xbe, 0xf0, 0xff, 0xff, 0xff});
  EXPECT_EQ(I->Operands[1].Value, 0xfffffff0u);
  EXPECT_TRUE(I->Operands[1].Literal);
  // A literal that could have been inline is still one, as far as LLVM's
  // disassembler shows it.
  I = decode("gfx1030", {0x01, 0xff, 0x00, 0x87, 0x03, 0, 0, 0});
  EXPECT_EQ(I->Operands[2].Value, 3u);
  EXPECT_EQ(I->Operands[2].Literal, LLVM_VERSION_MAJOR >= 22);
  // 1/(2 pi), as f32 and as f64.
  for (const Bytes &Code :
       {Bytes{0xf8, 0x03, 0x80, 0xbe}, Bytes{0xf8, 0x04, 0x80, 0xbe}}) {
    I = decode("gfx1030", Code);
    EXPECT_TRUE(I->Operands[1].Float);
    EXPECT_EQ(std::bit_cast<uint64_t>(I->Operands[1].FloatValue),
              0x3fc45f306dc9c882u);
    EXPECT_EQ(std::bit_cast<uint32_t>(float(I->Operands[1].FloatValue)),
              0x3e22f983u);
  }
  I = decode("gfx90a", {0xf7, 0x00, 0x80, 0xbe});
  EXPECT_TRUE(I->Operands[1].Float);
  EXPECT_EQ(I->Operands[1].FloatValue, -4.0);
}

TEST(Decoder, BranchesCountFromTheNextInstruction) {
  EXPECT_EQ(decode("gfx90a", {0x04, 0, 0x82, 0xbf})->BranchTarget, 0x10014u);
  // -4 words.
  EXPECT_EQ(decode("gfx1030", {0xfc, 0xff, 0x85, 0xbf})->BranchTarget,
            0x10004u - 16);
  EXPECT_EQ(decode("gfx90a", {0x04, 0, 0x80, 0xba})->BranchTarget, 0x10014u);
}

TEST(Decoder, DecodesDppFields) {
  // row_bcast:15 with bound_ctrl, abs and neg.
  auto I = decode("gfx90a", {0xfa, 0x04, 0x00, 0x02, 0x01, 0x42, 0x69, 0xaf});
  EXPECT_EQ(I->Mnemonic, "v_add_f32");
  EXPECT_TRUE(I->has(ModDpp));
  EXPECT_EQ(I->Dpp.What, DppControl::Kind::RowBcast15);
  EXPECT_EQ(I->Dpp.RowMask, 0xa);
  EXPECT_EQ(I->Dpp.BankMask, 0xf);
  EXPECT_TRUE(I->Dpp.BoundControl);
  EXPECT_TRUE(I->Operands[1].Abs);
  EXPECT_TRUE(I->Operands[2].Neg);
  // The same without bound_ctrl: quad_perm:[1,0,3,2].
  I = decode("gfx90a", {0xfa, 0x04, 0x00, 0x02, 0x01, 0xb1, 0x00, 0xff});
  EXPECT_FALSE(I->Dpp.BoundControl);
  EXPECT_EQ(I->Dpp.What, DppControl::Kind::QuadPerm);
  EXPECT_EQ(I->Dpp.Argument, 1u | 0 << 2 | 3 << 4 | 2 << 6);
  // gfx10: row_share:3 bound_ctrl:1 fi:1, then dpp8.
  I = decode("gfx1030", {0xfa, 0x04, 0x00, 0x4a, 0x01, 0x53, 0x0d, 0xff});
  EXPECT_EQ(I->Dpp.What, DppControl::Kind::RowShare);
  EXPECT_EQ(I->Dpp.Argument, 3u);
  EXPECT_TRUE(I->Dpp.BoundControl);
  EXPECT_TRUE(I->Dpp.FetchInactive);
  I = decode("gfx1030", {0xea, 0x04, 0x00, 0x4a, 0x01, 0xc1, 0x54, 0xde});
  EXPECT_EQ(I->Dpp.What, DppControl::Kind::Dpp8);
  EXPECT_EQ(I->Dpp.Argument, 067452301u);
}

TEST(Decoder, DecodesSdwaFields) {
  auto I = decode("gfx90a", {0xf9, 0x04, 0x00, 0x68, 0x01, 0x11, 0x05, 0x0b});
  EXPECT_EQ(I->Mnemonic, "v_add_u32");
  EXPECT_TRUE(I->Sdwa.Present);
  EXPECT_EQ(I->Sdwa.Destination, SdwaControl::Select::Byte1);
  EXPECT_EQ(I->Sdwa.Rest, SdwaControl::Unused::Preserve);
  EXPECT_EQ(I->Sdwa.Source0, SdwaControl::Select::Word1);
  EXPECT_EQ(I->Sdwa.Source1, SdwaControl::Select::Byte3);
  EXPECT_TRUE(I->Operands[2].Sext);
}

TEST(Decoder, True16HalvesReplaceOpSel) {
  // v_add_nc_u16 v0.h, v1.h, v2.l op_sel:[1,0,1]
  auto I = decode("gfx1100", {0x00, 0x48, 0x03, 0xd7, 0x01, 0x05, 0x02, 0x00});
  ASSERT_TRUE(I);
#if LLVM_VERSION_MAJOR < 22
  // Its disassembler knows no halves: op_sel says which are meant.
  EXPECT_EQ(I->OpSel, 5);
  EXPECT_TRUE(I->has(ModOpSel));
  return;
#endif
  EXPECT_EQ(I->Operands[0].Part, Operand::Half::High);
  EXPECT_EQ(I->Operands[1].Part, Operand::Half::High);
  EXPECT_EQ(I->Operands[2].Part, Operand::Half::Low);
  EXPECT_EQ(I->OpSel, 0);
  EXPECT_FALSE(I->has(ModOpSel));
}

TEST(Decoder, DualHalvesArePlainInstructions) {
  auto I = decode("gfx1100", {0x01, 0x05, 0x50, 0xca, 0x00, 0x01, 0x02, 0x00});
  ASSERT_TRUE(I && I->Dual && I->Dual->Dual);
  EXPECT_EQ(I->Mnemonic, "v_dual_cndmask_b32");
  EXPECT_EQ(I->Dual->Mnemonic, "v_cndmask_b32");
  ASSERT_EQ(I->Dual->OperandCount, 4);
  EXPECT_EQ(I->Dual->Operands[3].Index, VccLo);
  EXPECT_EQ(I->Dual->Dual->Mnemonic, "v_mov_b32");
  EXPECT_EQ(I->Dual->Dual->Operands[0].Index, 3);
}

TEST(Decoder, ImpliedExecIsAnOperand) {
  auto I = decode("gfx1030", {0x01, 0x05, 0xa8, 0x7d}); // v_cmpx_gt_u32_e32
  ASSERT_EQ(I->OperandCount, 3);
  EXPECT_EQ(I->Operands[0].Index, ExecLo);
  EXPECT_EQ(I->Operands[1].Index, 1);
  EXPECT_EQ(I->Operands[2].Index, 2);
}

TEST(Decoder, RefusesWithAReason) {
  auto D = makeDecoder("gfx90a", true);
  const Bytes NotCode{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  auto Check = [&](ArrayRef<uint8_t> Code, DecodeError::Kind What,
                   StringRef Detail) {
    auto I = D->decode(Code, 0);
    ASSERT_FALSE(I);
    handleAllErrors(I.takeError(), [&](const DecodeError &E) {
      EXPECT_EQ(E.What, What);
      EXPECT_TRUE(StringRef(E.Detail).contains(Detail)) << E.Detail;
    });
  };
  Check(NotCode, DecodeError::Kind::NoInstruction, "gfx90a");
  // An instruction that is cut off.
  Check(Bytes{0x01, 0xff, 0x00, 0x80}, DecodeError::Kind::NoInstruction,
        "bytes");
  Check({}, DecodeError::Kind::NoInstruction, "bytes");
  // image_load v0, v1, s[0:7] dmask:1 unorm
  Check(Bytes{0x00, 0x11, 0x00, 0xf0, 0x01, 0x00, 0x00, 0x00},
        DecodeError::Kind::NoSemantics, "image_load");
}

TEST(Decoder, HostileBytesDoNotReachUndefinedBehaviour) {
  // Each of these crashes llvm-mc -disassemble.
  const Bytes Codes[] = {
      {0xf9, 0x14, 0xff, 0x66, 0x56, 0xcf, 0xf1, 0xc8}, // SDWA selectors
      {0xff, 0x39, 0x22, 0xd0, 0x08, 0x02, 0xa1, 0x01}, // literal as result
      {0xe7, 0xa2, 0xe6, 0xd3, 0x65, 0x01, 0xff, 0x03}, // literal in VOP3P
      {0xda, 0xd8, 0x14, 0xe2, 0x00, 0x75, 0x94, 0xff}, // literal in MUBUF
  };
  auto D = makeDecoder("gfx90a", true);
  for (const Bytes &Code : Codes) {
    auto I = D->decode(Code, 0);
    EXPECT_FALSE(I);
    llvm::consumeError(I.takeError());
  }
}

TEST(Decoder, BarriersOfGfx12AreNoLiterals) {
  auto D = makeDecoder("gfx1201", false);
  for (uint8_t Opcode = 78; Opcode <= 82; ++Opcode) {
    auto I = D->decode(Bytes{0xff, Opcode, 0x80, 0xbe, 0xff, 0xff, 0x94, 0xbf},
                       0x1000);
    ASSERT_FALSE(I) << unsigned(Opcode);
    EXPECT_NE(toString(I.takeError()).find("no instruction"),
              std::string::npos);
  }
}

TEST(Parser, RegistersStayInTheirFiles) {
  EXPECT_EQ(parse("v_mov_b32_e32 v255, s105")->Operands[0].Index, 255);
  EXPECT_EQ(parse("v_accvgpr_read_b32 v0, a255")->Operands[1].Index, 511);
  EXPECT_EQ(parse("s_mov_b64 ttmp[14:15], vcc")->Operands[0].Index, 122);
  for (const char *Text :
       {"v_mov_b32_e32 v256, v0", "v_mov_b32_e32 v0, s106",
        "v_mov_b32_e32 v0, ttmp16", "s_mov_b64 s[105:106], 0",
        "v_mov_b32_e32 v[3:2], v0", "v_mov_b32_e32 v[255:256], v0",
        "s_mov_b64 ttmp[15:16], 0", "v_mov_b32_e32 v[0:64], v0",
        "v_mov_b32_e32 v99999999999999999999, v0"})
    EXPECT_NE(refusal(Text).find("unknown operand"), std::string::npos) << Text;
}

TEST(Parser, UnknownSyntaxIsRefused) {
  struct Row {
    const char *Text;
    const char *Reason;
  };
  const Row Rows[] = {
      {"v_frobnicate_b32 v0, v1", "no semantics for v_frobnicate_b32"},
      {"v_cndmask_b32_e64 v0, v1, v2, v3", "a mask in a vector register"},
      {"v_addc_co_u32_e64 v0, vcc, v1, v2, v3", "a mask in a vector register"},
      {"v_sub_co_ci_u32_e64 v0, s2, v1, v2, v3", "a mask in a vector register"},
      {"tbuffer_load_format_x v1, off, s[8:11], 0 format:[BUF_FMT_8_FLOAT]",
       "unknown modifier"},
      {"s_mov_b32 s0, s1 frob", "unknown modifier 'frob'"},
      {"s_mov_b32 s0, s1 frob:1", "unknown modifier 'frob:1'"},
      {"s_mov_b32 s0, s1 offset", "unknown modifier 'offset'"},
      {"s_mov_b32 s0, src_pops_exiting_wave_id", "unknown operand"},
      {"s_mov_b32 s0,, s1", "empty operand"},
      {"s_mov_b32 s0, s1 clamp", "with modifiers clamp"},
      {"s_mov_b32 s0, -s1", "with modifiers neg"},
      {"s_mov_b32 s0, |s1|", "with modifiers abs"},
      {"s_branch vcc", "unknown branch target"},
      {"s_branch", "no branch target"},
      {"s_mov_b32 0, 1, 2, 3, 4, 5, 6, 7", "too many operands"},
      {"", "no semantics"},
      {"v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,4] row_mask:0xf bank_mask:0xf",
       "unknown modifier 'quad_perm:[0,1,2,4]'"},
      {"v_mov_b32_dpp v0, v1 row_shl:16 row_mask:0xf bank_mask:0xf",
       "unknown modifier 'row_shl:16'"},
      {"v_dual_mov_b32 v0, v1 :: s_mov_b32 s0, 0", "not a dual instruction"},
  };
  for (const Row &R : Rows)
    EXPECT_NE(refusal(R.Text).find(R.Reason), std::string::npos)
        << R.Text << " => " << refusal(R.Text);
}

TEST(Parser, HintsAreAlwaysAllowed) {
  auto I = parse("s_load_dword s0, s[2:3], 0x10 glc");
  EXPECT_TRUE(I->has(ModCache));
  EXPECT_FALSE(I->has(ModReturn));
  I = parse("s_load_b32 s0, s[2:3], 0x10 th:TH_LOAD_NT scope:SCOPE_SYS");
  EXPECT_TRUE(I->has(ModCache));
  EXPECT_NE(refusal("s_load_b32 s0, s[2:3], 0x10 th:TH_LOAD_0x7"), "accepted");
}

TEST(Parser, WaitsForAllAccessesAreKnown) {
  auto IsForAll = [](const char *Text) {
    return parse(Text)->Operands[0].Value == 0;
  };
  EXPECT_TRUE(IsForAll("s_waitcnt vmcnt(0)"));
  EXPECT_TRUE(IsForAll("s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)"));
  EXPECT_FALSE(IsForAll("s_waitcnt vmcnt(1)"));
  EXPECT_FALSE(IsForAll("s_waitcnt vmcnt(10) lgkmcnt(0)"));
  EXPECT_FALSE(IsForAll("s_waitcnt lgkmcnt(0)"));
}

TEST(Parser, TargetsHaveTheirFamily) {
  EXPECT_EQ(Target::get("gfx90a:sramecc+:xnack-")->Isa, Family::Gfx90a);
  EXPECT_EQ(Target::get("gfx906")->Isa, Family::Gfx9);
  EXPECT_EQ(Target::get("gfx942")->Isa, Family::Gfx940);
  EXPECT_EQ(Target::get("gfx1036")->Isa, Family::Gfx10);
  EXPECT_EQ(Target::get("gfx1151")->Isa, Family::Gfx11);
  EXPECT_EQ(Target::get("gfx1201")->Isa, Family::Gfx12);
  for (const char *Name : {"gfx803", "gfx950", "gfx1250", "sm_90", ""}) {
    auto T = Target::get(Name);
    EXPECT_FALSE(T) << Name;
    llvm::consumeError(T.takeError());
  }
}

TEST(Opcodes, EachMnemonicOnce) {
  std::set<std::string> Seen;
  for (ArrayRef<OpcodeInfo> Table : opcodeTables())
    for (const OpcodeInfo &Info : Table)
      for (llvm::StringRef Mnemonic : llvm::split(Info.Mnemonics, ' ')) {
        EXPECT_TRUE(Seen.insert(Mnemonic.str()).second) << Info.Mnemonics;
        EXPECT_FALSE(Mnemonic.empty()) << Info.Mnemonics;
        EXPECT_NE(Info.Execute, nullptr) << Info.Mnemonics;
        EXPECT_EQ(findOpcode(Mnemonic), &Info);
      }
  EXPECT_EQ(findOpcode("v_frobnicate_b32"), nullptr);
}

//===- CodeCache ----------------------------------------------------------===//

class CodeCacheTest : public testing::Test {
protected:
  /// The last bytes of a page that is followed by one without access.
  void SetUp() override {
    Pages = static_cast<uint8_t *>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(static_cast<void *>(Pages), MAP_FAILED);
    ASSERT_EQ(mprotect(Pages + 4096, 4096, PROT_NONE), 0);
    auto Isa = Target::get("gfx90a");
    auto C = CodeCache::create(*Isa, true, Memory);
    ASSERT_TRUE(bool(C));
    Cache = std::move(*C);
    Memory.add({base(), base() + 4096, false, "code"});
  }
  void TearDown() override { munmap(Pages, 8192); }

  uint64_t base() const { return reinterpret_cast<uint64_t>(Pages); }
  void put(uint64_t Offset, uint32_t Word) {
    std::memcpy(Pages + Offset, &Word, 4);
  }

  static constexpr uint32_t Nop = 0xbf800000, EndProgram = 0xbf810000,
                            AddWithLiteral = 0x8000ff01;
  uint8_t *Pages = nullptr;
  MemoryMap Memory;
  std::unique_ptr<CodeCache> Cache;
  CodeCache::Cursor At;
  CodeCache::Problem Why;
};

TEST_F(CodeCacheTest, DecodesOnce) {
  put(8, Nop);
  EXPECT_EQ(Cache->find(At, base() + 8), nullptr);
  const Instruction *I = Cache->fetch(base() + 8, Why);
  ASSERT_TRUE(I) << Why.Detail;
  EXPECT_EQ(I->Mnemonic, "s_nop");
  EXPECT_EQ(I->Address, base() + 8);
  EXPECT_EQ(Cache->find(At, base() + 8), I);
  EXPECT_EQ(Cache->fetch(base() + 8, Why), I);
  EXPECT_EQ(Cache->find(At, base() + 12), nullptr);
}

TEST_F(CodeCacheTest, InvalidationForgets) {
  put(0, Nop);
  put(4, Nop);
  put(64, Nop);
  for (uint64_t Offset : {0, 4, 64})
    ASSERT_TRUE(Cache->fetch(base() + Offset, Why));
  put(4, EndProgram);
  Cache->invalidate(base() + 4, base() + 8);
  EXPECT_NE(Cache->find(At, base() + 64), nullptr);
  EXPECT_EQ(Cache->find(At, base() + 4), nullptr);
  const Instruction *I = Cache->fetch(base() + 4, Why);
  ASSERT_TRUE(I);
  EXPECT_EQ(I->Mnemonic, "s_endpgm");
}

TEST_F(CodeCacheTest, AnInstructionThatReachesIntoTheRangeIsForgotten) {
  put(0, AddWithLiteral);
  put(4, 0x11111111);
  ASSERT_TRUE(Cache->fetch(base(), Why));
  put(4, 0x22222222);
  Cache->invalidate(base() + 4, base() + 8);
  const Instruction *I = Cache->fetch(base(), Why);
  ASSERT_TRUE(I);
  EXPECT_EQ(I->Operands[2].Value, 0x22222222u);
}

TEST_F(CodeCacheTest, NothingBeyondTheMapIsRead) {
  put(4092, EndProgram);
  EXPECT_TRUE(Cache->fetch(base() + 4092, Why)) << Why.Detail;
  // Its literal would lie in the inaccessible page.
  Cache->invalidate(base(), base() + 4096);
  put(4092, AddWithLiteral);
  EXPECT_EQ(Cache->fetch(base() + 4092, Why), nullptr);
  EXPECT_EQ(Why.What, Fault::Kind::Undecodable);
  for (uint64_t Pc : {base() + 4096, base() - 4, uint64_t(0), ~uint64_t(3)}) {
    EXPECT_EQ(Cache->find(At, Pc), nullptr);
    EXPECT_EQ(Cache->fetch(Pc, Why), nullptr);
    EXPECT_EQ(Why.What, Fault::Kind::MemoryAccess);
  }
  EXPECT_EQ(Cache->fetch(base() + 2, Why), nullptr);
  EXPECT_EQ(Why.What, Fault::Kind::Undecodable);
}

TEST_F(CodeCacheTest, ProblemsNameTheInstruction) {
  const uint32_t ImageLoad[] = {0xf0001100, 0x00000001};
  std::memcpy(Pages, ImageLoad, 8);
  EXPECT_EQ(Cache->fetch(base(), Why), nullptr);
  EXPECT_EQ(Why.What, Fault::Kind::UnknownInstruction);
  EXPECT_EQ(Why.Instruction, "image_load v0, v1, s[0:7] dmask:0x1 unorm");
}

TEST_F(CodeCacheTest, ThreadsShareDecodedCode) {
  for (unsigned Offset = 0; Offset < 4096; Offset += 4)
    put(Offset, Nop);
  std::vector<std::vector<const Instruction *>> Found(4);
  std::vector<std::thread> Threads;
  for (auto &Mine : Found)
    Threads.emplace_back([&] {
      CodeCache::Cursor Here;
      CodeCache::Problem Problem;
      for (uint64_t Pc = base(); Pc < base() + 4096; Pc += 4) {
        const Instruction *I = Cache->find(Here, Pc);
        Mine.push_back(I ? I : Cache->fetch(Pc, Problem));
      }
    });
  for (std::thread &T : Threads)
    T.join();
  for (size_t N = 0; N < 1024; ++N) {
    ASSERT_TRUE(Found[0][N]);
    EXPECT_EQ(Found[0][N]->Address, base() + N * 4);
    for (auto &Other : Found)
      EXPECT_EQ(Other[N], Found[0][N]);
  }
}

} // namespace
