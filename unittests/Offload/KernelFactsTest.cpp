//===- KernelFactsTest.cpp - tests of properties of kernels ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/KernelFacts.h"

#include "TestSupport.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace kpack::offload;
using namespace kpack::test;

namespace {

/// A code object with \p Metadata in a note, and kernels of 12 and 40 bytes; of
/// the second nobody may have said the size.
std::string codeObject(StringRef Metadata, unsigned SecondSize = 40) {
  return elfFromYaml(R"(
--- !ELF
FileHeader:
  Class:      ELFCLASS64
  Data:       ELFDATA2LSB
  OSABI:      ELFOSABI_AMDGPU_HSA
  ABIVersion: 4
  Type:       ET_DYN
  Machine:    EM_AMDGPU
  Flags:      [ EF_AMDGPU_MACH_AMDGCN_GFX1100 ]
ProgramHeaders:
  - Type: PT_NOTE
    FirstSec: .note
    LastSec: .note
    Align: 4
Sections:
  - Name: .note
    Type: SHT_NOTE
    Flags: [ SHF_ALLOC ]
    AddressAlign: 4
    Notes:
      - Name: GNU
        Desc: '0011'
        Type: 3
      - Name: AMDGPU
        Desc: ')" + hex(Metadata) +
                     R"('
        Type: NT_AMDGPU_METADATA
  - Name: .text
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    Address: 0x1000
    Size: 100
DynamicSymbols:
  - Name: _Z5firstPi
    Type: STT_FUNC
    Section: .text
    Binding: STB_GLOBAL
    Value: 0x1000
    Size: 12
  - Name: _Z5firstPi.kd
    Type: STT_OBJECT
    Section: .text
    Binding: STB_GLOBAL
    Size: 64
  - Name: second
    Type: STT_FUNC
    Section: .text
    Binding: STB_GLOBAL
    Value: 0x1020
    Size: )" + std::to_string(SecondSize) +
                     R"(
...
)");
}

/// What a compiler says of two kernels, the second of a compiler that says
/// little.
std::string metadata(const char *Key = ".vgpr_count", int64_t Value = 7) {
  msgpack::Document Document;
  msgpack::MapDocNode Root = Document.getRoot().getMap(/*Convert=*/true);
  Root["amdhsa.target"] = "amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+";
  msgpack::ArrayDocNode Kernels = Document.getArrayNode();
  msgpack::MapDocNode First = Document.getMapNode();
  First[".name"] = "_Z5firstPi";
  First[".symbol"] = "_Z5firstPi.kd";
  First[".vgpr_count"] = 7u;
  First[".sgpr_count"] = 18u;
  First[".agpr_count"] = 4u;
  First[".vgpr_spill_count"] = 1u;
  First[".sgpr_spill_count"] = 2u;
  First[".group_segment_fixed_size"] = 65536u;
  First[".private_segment_fixed_size"] = 16u;
  First[".kernarg_segment_size"] = 8u;
  First[".wavefront_size"] = 64u;
  First[".max_flat_workgroup_size"] = 256u;
  First[".uses_dynamic_stack"] = true;
  First[Key] = Document.getNode(Value);
  First[".args"] = Document.getArrayNode();
  Kernels.push_back(First);
  msgpack::MapDocNode Second = Document.getMapNode();
  Second[".name"] = "second";
  Kernels.push_back(Second);
  Root["amdhsa.kernels"] = Kernels;
  std::string Blob;
  Document.writeToBlob(Blob);
  return Blob;
}

TEST(KernelFacts, ReadsEveryField) {
  std::string Bytes = codeObject(metadata());
  Expected<CodeObjectFacts> Facts = readKernelFacts(Bytes);
  ASSERT_TRUE(bool(Facts)) << toString(Facts.takeError());
  EXPECT_EQ(Facts->Target, "gfx90a:sramecc+:xnack-");
  ASSERT_EQ(Facts->Kernels.size(), 2u);
  const KernelFacts &First = Facts->Kernels[0], &Second = Facts->Kernels[1];
  EXPECT_EQ(First.Name, "_Z5firstPi");
  EXPECT_EQ(First.CodeSize, 12u);
  EXPECT_EQ(First.Vgprs, 7u);
  EXPECT_EQ(First.Sgprs, 18u);
  EXPECT_EQ(First.Agprs, 4u);
  EXPECT_EQ(First.VgprSpills, 1u);
  EXPECT_EQ(First.SgprSpills, 2u);
  EXPECT_EQ(First.Lds, 65536u);
  EXPECT_EQ(First.Private, 16u);
  EXPECT_EQ(First.Kernarg, 8u);
  EXPECT_EQ(First.WavefrontSize, 64u);
  EXPECT_EQ(First.MaxWorkgroup, 256u);
  EXPECT_EQ(Second.Name, "second");
  EXPECT_EQ(Second.CodeSize, 40u);
  EXPECT_EQ(Second.Vgprs, std::nullopt);
  EXPECT_EQ(Second.Lds, std::nullopt);
}

TEST(KernelFacts, MissingSymbolSizeEndsAtTheNextKernel) {
  std::string Bytes = codeObject(metadata(), 0);
  Expected<CodeObjectFacts> Facts = readKernelFacts(Bytes);
  ASSERT_TRUE(bool(Facts)) << toString(Facts.takeError());
  ASSERT_EQ(Facts->Kernels.size(), 2u);
  EXPECT_EQ(Facts->Kernels[0].CodeSize, 12u);
  uint64_t ToTheEnd = Facts->Kernels[1].CodeSize.value_or(0);
  EXPECT_EQ(ToTheEnd, 100u - 32u);
}

TEST(KernelFacts, MissingMetadataGivesNoKernels) {
  std::string Bytes = makeCodeObject(0x41, "code");
  Expected<CodeObjectFacts> Facts = readKernelFacts(Bytes);
  ASSERT_TRUE(bool(Facts)) << toString(Facts.takeError());
  EXPECT_TRUE(Facts->Kernels.empty());
  EXPECT_EQ(Facts->Target, "");
}

TEST(KernelFacts, DamagedMetadataIsRefused) {
  auto Refusal = [](const std::string &Metadata) {
    std::string Bytes = codeObject(Metadata);
    return getMessage(readKernelFacts(Bytes));
  };
  EXPECT_EQ(Refusal(metadata().substr(0, 60)),
            "its metadata cannot be read: cut off");
  EXPECT_EQ(Refusal(metadata(".sgpr_count", -1)),
            "its metadata cannot be read: not a number of 32 bits");
  EXPECT_EQ(Refusal(metadata(".sgpr_count", int64_t(1) << 32)),
            "its metadata cannot be read: not a number of 32 bits");
  EXPECT_EQ(Refusal(metadata(".name", 1)),
            "its metadata cannot be read: a name is not a str");
  EXPECT_EQ(Refusal("\x90"), "its metadata cannot be read: not a map");
}

TEST(KernelFacts, MutationsDoNoHarm) {
  forEachMutation(codeObject(metadata()), 20000, [](StringRef Bad) {
    if (Expected<CodeObjectFacts> Facts = readKernelFacts(Bad); !Facts)
      consumeError(Facts.takeError());
  });
}

} // namespace
