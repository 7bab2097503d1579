//===- CodeObjectTest.cpp - tests of texts and numbers from kernels -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a note says comes back as the values that it was made of, and each way
// in which one can be damaged has its message. The damaged ones are also files
// in fuzz/corpus, from which the fuzzer begins: KPACK_CONV_WRITE_GOLDEN=FOLDER
// writes them. Compiled kernels are in CompiledTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "CodeObjectWriter.h"
#include "RandomAlgorithm.h"

#include "Support/ElfNotes.h"
#include "Support/Files.h"
#include "kpack/ConvBuilder/CodeObject.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

TEST(CodeObjectTest, ReadsTheTraitsOfAKernel) {
  MadeCodeObject CodeObject;
  CodeObject.Facts.LdsBytes = 512;
  CodeObject.Facts.PrivateBytes = 16;
  CodeObject.Facts.Agprs = 4;
  CodeObject.Facts.VgprSpills = 3;
  CodeObject.Facts.SgprSpills = 2;
  std::string Image = CodeObject.image();
  Result<std::vector<KernelTraits>> All = traits(Image);
  ASSERT_TRUE(All.ok()) << All.status().message();
  ASSERT_EQ(All->size(), 1U);
  const KernelTraits &Kernel = All->front();
  EXPECT_EQ(Kernel.Symbol, getSymbol(CodeObject.Sig, CodeObject.How));
  EXPECT_EQ(Kernel.Sig, CodeObject.Sig);
  EXPECT_EQ(Kernel.How, CodeObject.How);
  EXPECT_EQ(Kernel.Processor, "gfx90a");
  EXPECT_EQ(Kernel.Made, *lower(CodeObject.Sig, CodeObject.How, "gfx90a"));
  ASSERT_TRUE(Kernel.Code);
  EXPECT_EQ(Kernel.Code->Target.view(), "gfx90a");
  EXPECT_EQ(Kernel.Code->WaveSize, 64);
  EXPECT_EQ(Kernel.Code->MaxThreads, 64);
  EXPECT_EQ(Kernel.Code->LdsBytes, 512);
  EXPECT_EQ(Kernel.Code->PrivateBytes, 16);
  EXPECT_EQ(Kernel.Code->Vgprs, 40);
  EXPECT_EQ(Kernel.Code->Agprs, 4);
  EXPECT_EQ(Kernel.Code->VgprSpills, 3);
  EXPECT_EQ(Kernel.Code->SgprSpills, 2);
  // What stands behind the file, as in an entry of the cache, is not looked at.
  EXPECT_TRUE(traits(Image + "description").ok());
}

TEST(CodeObjectTest, RandomTraitsRoundTrip) {
  RandomAlgorithm Random(31);
  unsigned Seen = 0;
  for (int I = 0; I < 3000; ++I) {
    MadeCodeObject CodeObject;
    Resolved R = resolve(Random.signature(), Random.partial(), "gfx90a");
    if (!R.ok() || !lower(R.Sig, R.Algo, "gfx90a").ok())
      continue;
    CodeObject.Sig = R.Sig, CodeObject.How = R.Algo;
    Result<std::vector<KernelTraits>> All = traits(CodeObject.image());
    ASSERT_TRUE(All.ok()) << All.status().message();
    EXPECT_EQ(All->front().Sig, R.Sig);
    EXPECT_EQ(All->front().How, withoutHints(R.Algo));
    EXPECT_EQ(All->front().Made, *lower(R.Sig, R.Algo, "gfx90a"));
    ++Seen;
  }
  EXPECT_GT(Seen, 500U);
}

TEST(CodeObjectTest, ReadsSeveralKernels) {
  MadeCodeObject First, Second;
  Second.How.block_size = 128;
  std::string Notes;
  for (const MadeCodeObject *CodeObject : {&First, &Second})
    Notes += test::elfNote("kpack", ConvNoteType,
                           makeLines(CodeObject->Sig, CodeObject->How, "cpu"));
  Result<std::vector<KernelTraits>> All = traits(buildElf(Notes));
  ASSERT_TRUE(All.ok()) << All.status().message();
  ASSERT_EQ(All->size(), 2U);
  EXPECT_EQ((*All)[1].How, Second.How);
  // Code for the CPU has no metadata of AMDGPU.
  EXPECT_FALSE((*All)[0].Code);
}

/// A file that is damaged, and what is said about it.
struct Damaged {
  std::string Name;
  std::string Image;
  std::string Why;
};

std::string changed(std::string Text, std::string_view Pattern,
                    std::string_view Replacement) {
  size_t Position = Text.find(Pattern);
  EXPECT_NE(Position, Text.npos) << Pattern;
  return Position == Text.npos
             ? Text
             : Text.replace(Position, Pattern.size(), Replacement);
}

std::vector<Damaged> damagedFiles() {
  std::vector<Damaged> All;
  MadeCodeObject Good;
  const std::string Image = Good.image();
  const std::string Lines = makeLines(Good.Sig, Good.How, "gfx90a");
  auto Text = [&](const char *Name, std::string Changed, const char *Why) {
    MadeCodeObject Bad;
    Bad.Lines = std::move(Changed);
    All.push_back({Name, Bad.image(), Why});
  };
  auto Bytes = [&](const char *Name, size_t Offset, auto Value,
                   const char *Why) {
    std::string Bad = Image;
    std::memcpy(Bad.data() + Offset, &Value, sizeof(Value));
    All.push_back({Name, Bad, Why});
  };
  Text("version", changed(Lines, "kpack-conv 1", "kpack-conv 7"),
       "is of another version than 1");
  Text("no-version", changed(Lines, "kpack-conv", "kpack"),
       "no line 'kpack-conv ...'");
  Text("no-zero", Lines.substr(0, Lines.size() - 1), "is cut off");
  Text("one-byte", std::string(1, '\0'), "no line 'kpack-conv ...'");
  Text("no-newline", Lines.substr(0, Lines.size() - 2) + '\0',
       "no line 'processor ...'");
  Text("symbol-upper", changed(Lines, "conv_", "Conv_"), "kernel: is no name");
  Text("symbol-short", changed(Lines, "conv_", "conv"), "kernel: is no name");
  Text("symbol-other", changed(Lines, Good.symbol(), "conv_0123456789abcdef"),
       "it has no kernel conv_0123456789abcdef");
  Text("signature-field", changed(Lines, "spatial_dim", "spatial_dimm"),
       "signature: at 10: 'spatial_dimm' is no field");
  Text("signature-open",
       changed(Lines, "data_type=FP16", "data_type=UNDEFINED_DATA_TYPE"),
       "is left open");
  Text("signature-type", changed(Lines, "data_type=FP16", "data_type=FP17"),
       "FP17");
  Text("algorithm-first", changed(Lines, "signature ", "algorithm "),
       "no line 'signature ...'");
  Text("algorithm-auto", changed(Lines, "kind=DIRECT", "kind=AUTO"),
       "algorithm.kind: AUTO has no kernel");
  Text("processor", changed(Lines, "processor gfx90a", "processor g\x1b[2J"),
       "processor: is no target id");
  Text("processor-long", changed(Lines, "gfx90a", std::string(300, 'g')),
       "processor: is no target id");
  Text("six-lines", changed(Lines, "gfx90a\n", "gfx90a\nmore\n"),
       "has more than five lines");
  constexpr size_t Segment = sizeof(Elf64_Ehdr);
  const char *None = "it has no note of convolutions";
  Bytes("not-elf", 1, 'F', None);
  Bytes("elf32", EI_CLASS, char(ELFCLASS32), None);
  Bytes("big-endian", EI_DATA, char(ELFDATA2MSB), None);
  Bytes("headers-far", offsetof(Elf64_Ehdr, e_phoff), uint64_t(1) << 40, None);
  Bytes("headers-wrap", offsetof(Elf64_Ehdr, e_phoff), ~uint64_t(0) - 8, None);
  Bytes("no-headers", offsetof(Elf64_Ehdr, e_phnum), uint16_t(0), None);
  Bytes("segment-type", Segment, uint32_t(PT_LOAD), None);
  Bytes("segment-far", Segment + offsetof(Elf64_Phdr, p_offset),
        ~uint64_t(0) - 8, None);
  Bytes("segment-long", Segment + offsetof(Elf64_Phdr, p_filesz), ~uint64_t(0),
        None);
  constexpr size_t First = Segment + sizeof(Elf64_Phdr);
  Bytes("name-long", First, ~uint32_t(0), None);
  Bytes("content-long", First + 4, ~uint32_t(0), None);
  size_t Ours = Image.find("kpack") - sizeof(Elf64_Nhdr);
  Bytes("other-type", Ours + 8, ConvNoteType + 1, None);
  Bytes("other-owner", Ours + sizeof(Elf64_Nhdr) + 4, 'K', None);
  Bytes("owner-no-zero", Ours + sizeof(Elf64_Nhdr) + 5, 'k', None);
  Bytes("content-longer", Ours + 4, uint32_t(Lines.size() + 64), None);
  All.push_back({"no-metadata",
                 buildElf(test::elfNote("kpack", ConvNoteType, Lines)),
                 "no code object with a note of metadata"});
  All.push_back({"metadata", changed(Image, "amdhsa.kernels", "amdhsa.kernelz"),
                 "it has no kernel conv_"});
  All.push_back({"target", changed(Image, "--gfx90a", "--hfx90a"),
                 "its metadata has no target"});
  All.push_back({"cut", Image.substr(0, Image.size() - 8), None});
  All.push_back({"headers-cut", Image.substr(0, Segment + 8), None});
  return All;
}

TEST(CodeObjectTest, DamagedOnesAreRefusedWithAReason) {
  for (const Damaged &Bad : damagedFiles()) {
    Result<std::vector<KernelTraits>> All = traits(Bad.Image);
    ASSERT_FALSE(All.ok()) << Bad.Name;
    EXPECT_EQ(All.status().code(), StatusCode::InvalidFormat) << Bad.Name;
    const std::string &Message = All.status().message();
    EXPECT_NE(Message.find(Bad.Why), std::string::npos)
        << Bad.Name << ": " << Message;
    for (unsigned char C : Message)
      ASSERT_TRUE(C >= ' ' && C < 127) << Bad.Name;
  }
}

TEST(CodeObjectTest, EveryTruncationIsRefused) {
  const std::string Image = MadeCodeObject().image();
  for (size_t Size = 0; Size < Image.size(); ++Size) {
    // A copy of exactly this size, for sanitizers.
    std::vector<char> Cut(Image.data(), Image.data() + Size);
    EXPECT_FALSE(traits({Cut.data(), Size}).ok()) << Size;
  }
}

/// Many segments over the same bytes do not cost their product.
TEST(CodeObjectTest, OverlappingSegmentsTakeLinearTime) {
  MadeCodeObject CodeObject;
  std::string Notes;
  while (Notes.size() < 1 << 22)
    Notes += test::elfNote("other", 1, "");
  std::string Image = buildElf(Notes);
  std::string Headers = Image.substr(sizeof(Elf64_Ehdr), sizeof(Elf64_Phdr));
  uint64_t Offset = Image.size();
  std::memcpy(Image.data() + offsetof(Elf64_Ehdr, e_phoff), &Offset,
              sizeof(Offset));
  uint16_t Count = 65535;
  std::memcpy(Image.data() + offsetof(Elf64_Ehdr, e_phnum), &Count,
              sizeof(Count));
  for (unsigned I = 0; I < Count; ++I)
    Image += Headers;
  EXPECT_TRUE(elfNotes(Image, "kpack", ConvNoteType).empty());
}

TEST(CodeObjectTest, GoldenFilesAreReadOrRefused) {
  if (const char *Folder = std::getenv("KPACK_CONV_WRITE_GOLDEN")) {
    for (const Damaged &Bad : damagedFiles())
      std::ofstream(std::string(Folder) + "/bad-" + Bad.Name, std::ios::binary)
          << Bad.Image;
    std::ofstream(std::string(Folder) + "/good-one", std::ios::binary)
        << MadeCodeObject().image();
    std::ofstream(std::string(Folder) + "/lines", std::ios::binary)
        << "N"
        << makeLines(MadeCodeObject().Sig, MadeCodeObject().How, "gfx90a");
  }
  unsigned Good = 0, Bad = 0;
  for (const auto &File :
       std::filesystem::directory_iterator(CONV_TEST_GOLDEN_NOTES)) {
    std::string Name = File.path().filename();
    if (Name == "lines") // of a note, for the fuzzer alone
      continue;
    Result<std::string> Bytes = readFile(File.path());
    ASSERT_TRUE(Bytes.ok());
    bool IsGood = Name.starts_with("good-");
    EXPECT_EQ(traits(*Bytes).ok(), IsGood) << Name;
    ++(IsGood ? Good : Bad);
  }
  EXPECT_EQ(Good, 1U);
  EXPECT_EQ(Bad, damagedFiles().size());
}

/// By LLVM's getVGPRAllocGranule() and what a SIMD has.
TEST(CodeFactsTest, WavesOfASimd) {
  auto Waves = [](std::string_view Gpu, int Vgprs) {
    return wavesOfSimd(*findProcessor(Target(Gpu)), Vgprs);
  };
  EXPECT_EQ(Waves("gfx90a", 64), 8);
  EXPECT_EQ(Waves("gfx90a", 65), 7); // 72
  EXPECT_EQ(Waves("gfx90a", 512), 1);
  EXPECT_EQ(Waves("gfx90a", 513), 0);
  EXPECT_EQ(Waves("gfx906", 24), 10);
  EXPECT_EQ(Waves("gfx906", 25), 9); // 28
  EXPECT_EQ(Waves("gfx1030", 64), 16);
  EXPECT_EQ(Waves("gfx1030", 65), 12); // 80
  EXPECT_EQ(Waves("gfx1100", 96), 16);
  EXPECT_EQ(Waves("gfx1100", 97), 12); // 120
  EXPECT_EQ(Waves("gfx1201", 0), 16);
}

} // namespace
