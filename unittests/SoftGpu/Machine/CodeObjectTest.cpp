//===- CodeObjectTest.cpp - tests of the loader of code objects -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code objects are assembled and linked by this file's own small linker, so
// that every field can be wrong. Real ones, of clang and lld, run in
// test/SoftGpu.
//
//===----------------------------------------------------------------------===//
#include "Assembler.h"

#include "../../Support/ElfNote.h"
#include "SoftGpu/Machine/CodeObjects/CodeObjectMetadata.h"

#include "SoftGpu/Machine/CodeObjects/CodeObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

using namespace kpack::softgpu;
using namespace llvm;
using namespace llvm::ELF;

namespace {

/// In COMPUTE_PGM_RSRC2; LLVM has renamed its constant.
constexpr unsigned UserSgprCountShift = 1;

template <class T> void append(std::vector<uint8_t> &To, const T &Value) {
  const auto *Bytes = reinterpret_cast<const uint8_t *>(&Value);
  To.insert(To.end(), Bytes, Bytes + sizeof(T));
}
template <class T> T &at(std::vector<uint8_t> &In, uint64_t Offset) {
  return *reinterpret_cast<T *>(In.data() + Offset);
}

struct Argument {
  const char *Kind;
  unsigned Offset, Size;
};

/// A code object with one kernel "k", a variable "counter" (8 bytes), and
/// "pointer", which a relocation makes the address of counter + 4.
struct Builder {
  std::vector<uint8_t> Code = assemble("gfx90a", "s_endpgm\n");
  std::vector<Argument> Arguments;
  unsigned KernargSize = 16;
  unsigned UserSgprs = 2;
  unsigned Properties =
      llvm::amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR;
  std::string Target = "amdgcn-amd-amdhsa--gfx90a:xnack-";
  uint32_t RelocationType = R_AMDGPU_ABS64;
  uint32_t RelocationSymbol = 2;
  uint64_t RelocationPlace = Data + 8;
  bool Undefined = false, Weak = false;

  static constexpr uint64_t Descriptor = 0x400, Text = 0x800, Data = 0x1800;
  static constexpr uint64_t Size = 0x2000;

  std::vector<uint8_t> build() const;
  std::string metadata() const;
};

std::string Builder::metadata() const {
  msgpack::Document D;
  auto Root = D.getRoot().getMap(/*Convert=*/true);
  Root["amdhsa.target"] = Target;
  auto K = D.getMapNode();
  K[".name"] = "k";
  K[".symbol"] = "k.kd";
  K[".kernarg_segment_size"] = KernargSize;
  K[".group_segment_fixed_size"] = 0u;
  K[".private_segment_fixed_size"] = 0u;
  auto Args = D.getArrayNode();
  for (const Argument &A : Arguments) {
    auto Node = D.getMapNode();
    Node[".offset"] = A.Offset;
    Node[".size"] = A.Size;
    Node[".value_kind"] = StringRef(A.Kind);
    Args.push_back(Node);
  }
  K[".args"] = Args;
  auto Kernels = D.getArrayNode();
  Kernels.push_back(K);
  Root["amdhsa.kernels"] = Kernels;
  std::string Blob;
  D.writeToBlob(Blob);
  return Blob;
}

std::vector<uint8_t> Builder::build() const {
  std::vector<uint8_t> F(Size, 0);
  auto &H = at<Elf64_Ehdr>(F, 0);
  std::memcpy(H.e_ident, ElfMagic, 4);
  H.e_ident[EI_CLASS] = ELFCLASS64;
  H.e_ident[EI_DATA] = ELFDATA2LSB;
  H.e_ident[EI_VERSION] = EV_CURRENT;
  H.e_ident[EI_OSABI] = ELFOSABI_AMDGPU_HSA;
  H.e_ident[EI_ABIVERSION] = ELFABIVERSION_AMDGPU_HSA_V5;
  H.e_type = ET_DYN;
  H.e_machine = EM_AMDGPU;
  H.e_version = EV_CURRENT;
  H.e_flags = EF_AMDGPU_MACH_AMDGCN_GFX90A;
  H.e_ehsize = sizeof(Elf64_Ehdr);
  H.e_phoff = sizeof(Elf64_Ehdr);
  H.e_phentsize = sizeof(Elf64_Phdr);
  H.e_phnum = 3;
  H.e_shentsize = sizeof(Elf64_Shdr);

  auto &D = at<llvm::amdhsa::kernel_descriptor_t>(F, Descriptor);
  D.kernarg_size = KernargSize;
  D.kernel_code_entry_byte_offset = Text - Descriptor;
  D.compute_pgm_rsrc2 = UserSgprs << UserSgprCountShift;
  D.kernel_code_properties = uint16_t(Properties);
  std::copy(Code.begin(), Code.end(), F.begin() + Text);
  at<uint64_t>(F, Data) = 0x1122334455667788;

  // Not loaded: note, symbols, names, relocation, sections.
  uint64_t NoteOffset = F.size();
  std::string Note =
      kpack::test::elfNote("AMDGPU", NT_AMDGPU_METADATA, metadata());
  F.insert(F.end(), Note.begin(), Note.end());
  F.resize(alignTo(F.size(), 8));
  uint64_t NoteSize = F.size() - NoteOffset;

  const StringRef Names("\0k.kd\0counter\0pointer\0absent\0", 29);
  uint64_t SymbolsOffset = F.size();
  auto Symbol = [&](uint32_t Name, unsigned Binding, unsigned Type,
                    uint16_t Section, uint64_t Value, uint64_t Bytes) {
    Elf64_Sym S = {};
    S.st_name = Name;
    S.setBindingAndType(uint8_t(Binding), uint8_t(Type));
    S.st_shndx = Section;
    S.st_value = Value;
    S.st_size = Bytes;
    append(F, S);
  };
  Symbol(0, 0, 0, 0, 0, 0);
  Symbol(1, STB_GLOBAL, STT_OBJECT, 1, Descriptor, 64);
  Symbol(6, STB_GLOBAL, STT_OBJECT, 1, Data, 8);
  Symbol(14, STB_GLOBAL, STT_OBJECT, 1, Data + 8, 8);
  if (Undefined)
    Symbol(22, Weak ? STB_WEAK : STB_GLOBAL, STT_NOTYPE, SHN_UNDEF, 0, 0);
  uint64_t SymbolsSize = F.size() - SymbolsOffset;
  uint64_t NamesOffset = F.size();
  F.insert(F.end(), Names.begin(), Names.end());
  F.resize(alignTo(F.size(), 8));
  uint64_t RelocationsOffset = F.size();
  Elf64_Rela R = {};
  R.r_offset = RelocationPlace;
  R.setSymbolAndType(RelocationSymbol, RelocationType);
  R.r_addend = 4;
  append(F, R);

  uint64_t SectionsOffset = F.size();
  auto Section = [&](uint32_t Type, uint64_t Flags, uint64_t Offset,
                     uint64_t Bytes, uint32_t Link, uint32_t Info,
                     uint64_t Entry) {
    Elf64_Shdr S = {};
    S.sh_type = Type;
    S.sh_flags = Flags;
    S.sh_offset = Offset;
    S.sh_size = Bytes;
    S.sh_link = Link;
    S.sh_info = Info;
    S.sh_entsize = Entry;
    S.sh_addralign = 8;
    append(F, S);
  };
  Section(SHT_NULL, 0, 0, 0, 0, 0, 0);
  Section(SHT_PROGBITS, SHF_ALLOC, 0, Size, 0, 0, 0);
  Section(SHT_DYNSYM, SHF_ALLOC, SymbolsOffset, SymbolsSize, 3, 1,
          sizeof(Elf64_Sym));
  Section(SHT_STRTAB, SHF_ALLOC, NamesOffset, Names.size(), 0, 0, 0);
  Section(SHT_RELA, SHF_ALLOC, RelocationsOffset, sizeof(R), 2, 0,
          sizeof(Elf64_Rela));

  auto &Header = at<Elf64_Ehdr>(F, 0);
  Header.e_shoff = SectionsOffset;
  Header.e_shnum = 5;
  Header.e_shstrndx = 3;
  auto *Segments = &at<Elf64_Phdr>(F, sizeof(Elf64_Ehdr));
  Segments[0] = {PT_LOAD, PF_R | PF_X, 0, 0, 0, 0x1000, 0x1000, 0x1000};
  Segments[1] = {PT_LOAD, PF_R | PF_W, 0x1000, 0x1000,
                 0x1000,  0x1000,      0x3000, 0x1000};
  Segments[2] = {PT_NOTE, PF_R, NoteOffset, 0, 0, NoteSize, 0, 4};
  return F;
}

std::string getError(ArrayRef<uint8_t> File) {
  MemoryMap Memory;
  auto Object = CodeObject::load(File, Memory);
  if (Object)
    return "";
  EXPECT_TRUE(Memory.snapshot()->empty()) << "a failed load left ranges";
  return toString(Object.takeError());
}

TEST(CodeObject, LoadsSegmentsSymbolsAndRelocations) {
  MemoryMap Memory;
  auto Loaded = CodeObject::load(Builder().build(), Memory);
  ASSERT_TRUE(bool(Loaded)) << toString(Loaded.takeError());
  CodeObject &Object = **Loaded;
  EXPECT_EQ(Object.processor(), "gfx90a");
  ASSERT_EQ(Object.kernels().count("k"), 1u);
  auto Counter = Object.variable("counter"),
       Pointer = Object.variable("pointer");
  ASSERT_TRUE(Counter && Pointer);
  EXPECT_EQ(Counter->Size, 8u);
  EXPECT_EQ(*reinterpret_cast<uint64_t *>(Counter->Address),
            0x1122334455667788u);
  EXPECT_EQ(*reinterpret_cast<uint64_t *>(Pointer->Address),
            Counter->Address + 4);
  EXPECT_FALSE(Object.variable("k.kd"));
  EXPECT_FALSE(Object.variable("absent"));
  // Code is read-only, data is writable, and so is what follows it as zeros.
  EXPECT_FALSE(Memory.find(Object.kernels().lookup("k").Descriptor)->Writable);
  auto Range = Memory.find(Counter->Address);
  EXPECT_TRUE(Range->Writable);
  EXPECT_EQ(Range->End - Range->Begin, 0x3000u);
  EXPECT_EQ(*reinterpret_cast<uint64_t *>(Range->End - 8), 0u);
  Loaded->reset();
  EXPECT_TRUE(Memory.snapshot()->empty());
}

TEST(CodeObject, RelocationsOfEveryType) {
  auto Value = [](uint32_t Type, uint32_t Symbol) {
    Builder B;
    B.RelocationType = Type;
    B.RelocationSymbol = Symbol;
    MemoryMap Memory;
    auto Object = cantFail(CodeObject::load(B.build(), Memory));
    uint64_t Got =
        *reinterpret_cast<uint64_t *>(Object->variable("pointer")->Address);
    return Got - Object->variable("counter")->Address;
  };
  EXPECT_EQ(Value(R_AMDGPU_ABS64, 2), 4u);
  EXPECT_EQ(Value(R_AMDGPU_RELATIVE64, 0), 4 - Builder::Data);
  Builder B;
  B.RelocationType = R_AMDGPU_ABS32_HI;
  MemoryMap Memory;
  auto Object = cantFail(CodeObject::load(B.build(), Memory));
  EXPECT_EQ(*reinterpret_cast<uint32_t *>(Object->variable("pointer")->Address),
            (Object->variable("counter")->Address + 4) >> 32);
}

TEST(CodeObject, BadRelocationsAreErrors) {
  Builder B;
  B.RelocationType = R_AMDGPU_REL32;
  EXPECT_NE(getError(B.build()).find("relocation type"), std::string::npos);
  B = Builder();
  B.RelocationSymbol = 4;
  EXPECT_NE(getError(B.build()).find("symbol 4 of 4"), std::string::npos);
  B = Builder();
  for (uint64_t Place :
       {uint64_t(0x3ffc), uint64_t(0x4000), ~uint64_t(0), ~uint64_t(3)}) {
    B.RelocationPlace = Place;
    EXPECT_EQ(getError(B.build()).empty(), false) << Place;
  }
  B = Builder();
  B.Undefined = true;
  B.RelocationSymbol = 4;
  EXPECT_NE(getError(B.build()).find("undefined symbol 'absent'"),
            std::string::npos);
  B.Weak = true;
  EXPECT_EQ(getError(B.build()), "");
}

TEST(CodeObject, OtherFilesAreRefused) {
  EXPECT_NE(getError({}), "");
  EXPECT_NE(getError(std::vector<uint8_t>(100, 0)), "");
  auto With = [](auto Change) {
    std::vector<uint8_t> F = Builder().build();
    Change(at<Elf64_Ehdr>(F, 0), &at<Elf64_Phdr>(F, sizeof(Elf64_Ehdr)));
    return getError(F);
  };
  using E = Elf64_Ehdr;
  using P = Elf64_Phdr;
  EXPECT_EQ(With([](E &, P *) {}), "");
  EXPECT_NE(With([](E &H, P *) { H.e_machine = EM_X86_64; }), "");
  EXPECT_NE(With([](E &H, P *) { H.e_type = ET_REL; }), "");
  EXPECT_NE(With([](E &H, P *) { H.e_ident[EI_OSABI] = ELFOSABI_AMDGPU_PAL; }),
            "");
  EXPECT_NE(With([](E &H, P *) { H.e_ident[EI_ABIVERSION] = 1; }), "");
  EXPECT_NE(With([](E &H, P *) { H.e_ident[EI_ABIVERSION] = 9; }), "");
  EXPECT_NE(With([](E &H, P *) { H.e_ident[EI_CLASS] = ELFCLASS32; }), "");
  EXPECT_NE(With([](E &H, P *) { H.e_phoff = ~uint64_t(7); }), "");
  EXPECT_NE(With([](E &, P *S) { S[0].p_filesz = uint64_t(1) << 40; }), "");
  EXPECT_NE(With([](E &, P *S) { S[0].p_offset = ~uint64_t(0); }), "");
  EXPECT_NE(With([](E &, P *S) { S[1].p_vaddr = ~uint64_t(0xfff); }), "");
  EXPECT_NE(With([](E &, P *S) { S[1].p_memsz = ~uint64_t(0); }), "");
  EXPECT_NE(With([](E &, P *S) { S[1].p_memsz = 1; }), "");
  EXPECT_NE(With([](E &, P *S) { S[0].p_type = S[1].p_type = PT_NULL; }), "");
  EXPECT_NE(With([](E &, P *S) { S[2].p_type = PT_NULL; }), "");
}

// Every byte of headers, note and tables, changed: an error or not, never more.
TEST(CodeObject, ChangedBytesNeverCrash) {
  Builder B;
  B.Arguments = {{"global_buffer", 0, 8}, {"hidden_block_count_x", 8, 4}};
  const std::vector<uint8_t> Good = B.build();
  unsigned Refused = 0;
  auto Try = [&](size_t I, uint8_t Byte) {
    std::vector<uint8_t> F = Good;
    F[I] = Byte;
    MemoryMap Memory;
    auto Object = CodeObject::load(F, Memory);
    if (Object)
      return;
    consumeError(Object.takeError());
    ++Refused;
  };
  for (size_t I = 0; I < Good.size(); ++I) {
    if (I == sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr))
      I = Builder::Size;
    for (uint8_t Byte : {0, 1, 0x7f, 0x80, 0xdf, 0xff})
      Try(I, Byte);
  }
  EXPECT_GT(Refused, 100u);
}

// 0 and 1 say nothing about a segment's alignment; notes have 4 then.
TEST(CodeObject, NotesNeedNoAlignment) {
  for (uint64_t Alignment : {0, 1, 4}) {
    std::vector<uint8_t> F = Builder().build();
    (&at<Elf64_Phdr>(F, sizeof(Elf64_Ehdr)))[2].p_align = Alignment;
    EXPECT_EQ(getError(F), "") << Alignment;
  }
}

TEST(CodeObject, EveryPrefixIsRefused) {
  const std::vector<uint8_t> Good = Builder().build();
  for (size_t Size = 0; Size < Good.size(); Size += 7)
    EXPECT_NE(getError(ArrayRef(Good).take_front(Size)), "") << Size;
}

TEST(CodeObjectMetadata, HostileNotesAreRefused) {
  auto Bad = [](StringRef Note) {
    return errorToBool(CodeObjectMetadata::parse(Note).takeError());
  };
  EXPECT_TRUE(Bad(""));
  EXPECT_TRUE(Bad("\xc0"));
  EXPECT_TRUE(Bad("\x80"));                               // empty map
  EXPECT_TRUE(Bad(StringRef("\xdd\xff\xff\xff\xff", 5))); // array of 2^32
  EXPECT_TRUE(Bad(StringRef("\xdf\xff\xff\xff\xff", 5))); // map of 2^32
  EXPECT_TRUE(Bad("\x81\x80\xc0"));                       // a map as key
  EXPECT_TRUE(Bad("\x82\x80\xc0\x90\xc0"));
  EXPECT_TRUE(Bad(std::string(100000, '\x91'))); // deep
  EXPECT_TRUE(Bad("\x81\xad"
                  "amdhsa.target\x05")); // not a string
  std::string Good = Builder().metadata();
  EXPECT_FALSE(Bad(Good));
  for (size_t Size = 0; Size < Good.size(); ++Size)
    EXPECT_TRUE(Bad(StringRef(Good).take_front(Size))) << Size;
}

TEST(CodeObjectMetadata, ArgumentsLieInTheSegment) {
  Builder B;
  B.Arguments = {{"by_value", 12, 4}};
  EXPECT_EQ(getError(B.build()), "");
  B.Arguments = {{"by_value", 13, 4}};
  EXPECT_NE(getError(B.build()).find("does not lie"), std::string::npos);
  B.Arguments = {{"by_value", 0xffffffff, 8}};
  EXPECT_NE(getError(B.build()).find("does not lie"), std::string::npos);
  B = Builder();
  B.KernargSize = 0x7fffffff;
  EXPECT_NE(getError(B.build()).find("bytes of arguments"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

// The kernel copies its 64 dwords of arguments behind the pointer that is the
// first of them.
std::string copyArguments() {
  std::string Text = "s_load_dwordx2 s[20:21], s[0:1], 0x0\n"
                     "v_mov_b32 v0, 0\n";
  for (unsigned I = 0; I < 64; ++I) {
    std::string Offset = std::to_string(4 * I);
    Text += "s_load_dword s2, s[0:1], " + Offset +
            "\n"
            "s_waitcnt lgkmcnt(0)\n"
            "v_mov_b32 v1, s2\n"
            "global_store_dword v0, v1, s[20:21] offset:" +
            Offset + "\n";
  }
  return Text + "s_endpgm\n";
}

TEST(KernelLaunch, HiddenArgumentsAreFilledIn) {
  Builder B;
  B.Code = assemble("gfx90a", copyArguments());
  ASSERT_LE(Builder::Text + B.Code.size(), Builder::Data);
  B.KernargSize = 256;
  B.Arguments = {{"global_buffer", 0, 8},
                 {"by_value", 8, 12},
                 {"hidden_block_count_x", 24, 4},
                 {"hidden_block_count_y", 28, 4},
                 {"hidden_block_count_z", 32, 4},
                 {"hidden_group_size_x", 36, 2},
                 {"hidden_group_size_y", 38, 2},
                 {"hidden_group_size_z", 40, 2},
                 {"hidden_remainder_x", 42, 2},
                 {"hidden_global_offset_x", 64, 8},
                 {"hidden_grid_dims", 88, 2},
                 {"hidden_hostcall_buffer", 96, 8},
                 {"hidden_dynamic_lds_size", 144, 4},
                 {"hidden_private_base", 216, 4},
                 {"hidden_shared_base", 220, 4}};
  MemoryMap Memory;
  auto Object = cantFail(CodeObject::load(B.build(), Memory));
  auto Gpu = cantFail(Machine::create("gfx90a", Memory));
  std::vector<uint32_t> Out(64, 0xcccccccc);
  uint64_t Address = reinterpret_cast<uint64_t>(Out.data());
  Memory.add({Address, Address + 256});
  size_t Ranges = Memory.snapshot()->size();
  const uint32_t Struct[3] = {0xabcd, 0x1234, 0x77};
  ArrayRef<uint8_t> First(reinterpret_cast<uint8_t *>(&Address), 8);
  ArrayRef<uint8_t> Second(reinterpret_cast<const uint8_t *>(Struct), 12);
  auto Result =
      Object->launch(*Gpu, "k", {3, 2, 5}, {16, 2, 1}, 4096, {First, Second});
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  ASSERT_FALSE(Result->Failure) << Result->Failure->message();
  EXPECT_EQ(Result->Waves, 30u);
  EXPECT_EQ(Out[2], 0xabcdu);
  EXPECT_EQ(Out[3], 0x1234u);
  EXPECT_EQ(Out[4], 0x77u);
  EXPECT_EQ(Out[6], 3u);
  EXPECT_EQ(Out[7], 2u);
  EXPECT_EQ(Out[8], 5u);
  EXPECT_EQ(Out[9], 16u | 2u << 16);
  EXPECT_EQ(Out[10], 1u);
  EXPECT_EQ(Out[16], 0u);
  EXPECT_EQ(Out[22], 3u);
  EXPECT_EQ(Out[24], 0u);
  EXPECT_EQ(Out[36], 4096u);
  EXPECT_NE(Out[54], Out[55]);
  EXPECT_EQ(Memory.snapshot()->size(), Ranges);
}

TEST(KernelLaunch, MistakesAreErrors) {
  Builder B;
  B.Arguments = {{"by_value", 0, 4}};
  MemoryMap Memory;
  auto Object = cantFail(CodeObject::load(B.build(), Memory));
  auto Gpu = cantFail(Machine::create("gfx90a", Memory));
  auto Other = cantFail(Machine::create("gfx1100", Memory));
  const uint8_t Bytes[8] = {};
  ArrayRef<uint8_t> Four(Bytes, 4), Eight(Bytes, 8);
  auto Message = [](Expected<DispatchResult> R) {
    return R ? std::string() : toString(R.takeError());
  };
  EXPECT_EQ(Message(Object->launch(*Gpu, "k", {1, 1, 1}, {1, 1, 1}, 0, {Four})),
            "");
  EXPECT_NE(Message(Object->launch(*Gpu, "j", {1, 1, 1}, {1, 1, 1}, 0, {Four})),
            "");
  EXPECT_NE(
      Message(Object->launch(*Gpu, "k", {1, 1, 1}, {1, 1, 1}, 0, {Eight})), "");
  EXPECT_NE(Message(Object->launch(*Gpu, "k", {1, 1, 1}, {1, 1, 1}, 0, {})),
            "");
  EXPECT_NE(
      Message(Object->launch(*Gpu, "k", {1, 1, 1}, {1, 1, 1}, 0, {Four, Four})),
      "");
  EXPECT_NE(Message(Object->launch(*Gpu, "k", {0, 1, 1}, {1, 1, 1}, 0, {Four})),
            "");
  EXPECT_NE(
      Message(Object->launch(*Gpu, "k", {1, 1, 1}, {65537, 1, 1}, 0, {Four})),
      "");
  EXPECT_NE(
      Message(Object->launch(*Gpu, "k", {~0u, 1, 1}, {2, 1, 1}, 0, {Four})),
      "");
  EXPECT_NE(
      Message(Object->launch(*Other, "k", {1, 1, 1}, {1, 1, 1}, 0, {Four}))
          .find("compiled for gfx90a"),
      std::string::npos);
}

// A second code object at the address of the first: its own code runs.
TEST(KernelLaunch, MachinesForgetCodeThatIsUnloaded) {
  MemoryMap Memory;
  auto Gpu = cantFail(Machine::create("gfx90a", Memory));
  for (unsigned Length = 1; Length < 6; ++Length) {
    Builder B;
    std::string Text;
    for (unsigned I = 1; I < Length; ++I)
      Text += "s_nop 0\n";
    B.Code = assemble("gfx90a", Text + "s_endpgm\n");
    auto Object = cantFail(CodeObject::load(B.build(), Memory));
    auto Result = Object->launch(*Gpu, "k", {1, 1, 1}, {1, 1, 1}, 0, {});
    ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
    EXPECT_EQ(Result->Instructions, Length);
  }
}

} // namespace
