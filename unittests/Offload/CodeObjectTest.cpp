//===- CodeObjectTest.cpp - tests of AMDGPU code object headers -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/CodeObjectHeader.h"

#include "TestSupport.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace kpack::offload;
using namespace kpack::test;

TEST(CodeObject, EveryProcessorHasOneNumber) {
  StringSet<> Names;
  for (unsigned Mach = 0; Mach <= ELF::EF_AMDGPU_MACH; ++Mach)
    if (StringRef Name = processorOfMach(Mach); !Name.empty())
      EXPECT_TRUE(Names.insert(Name).second) << Name.str();
  EXPECT_TRUE(Names.contains("gfx90a"));
  EXPECT_EQ(processorOfMach(ELF::EF_AMDGPU_MACH_NONE), "");
  EXPECT_EQ(processorOfMach(ELF::EF_AMDGPU_MACH_AMDGCN_GFX1201), "gfx1201");
  EXPECT_EQ(processorOfMach(ELF::EF_AMDGPU_MACH_AMDGCN_GFX10_3_GENERIC),
            "gfx10-3-generic");
}

TEST(CodeObject, TargetInItsHeader) {
  EXPECT_EQ(targetOfCodeObject(makeCodeObject(0x41, "")), "gfx1100");
  EXPECT_EQ(targetOfCodeObject(makeCodeObject(0xe3f, "")),
            "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(targetOfCodeObject(makeCodeObject(0x53, "")), "gfx10-3-generic");
  // Version 3 has other bits for the features.
  EXPECT_EQ(targetOfCodeObject(makeCodeObject(0x33f, "", 1)), "gfx90a");
}

TEST(CodeObject, SizeOfItsLastPart) {
  std::string Elf = makeCodeObject(0x41, "some code");
  EXPECT_EQ(codeObjectSize(Elf), Elf.size());
  EXPECT_EQ(codeObjectSize(Elf + "more"), Elf.size());
  EXPECT_EQ(codeObjectSize(StringRef(Elf).drop_back()), std::nullopt);
  // A table of sections that would be larger than any file.
  std::string Bad = Elf;
  Bad.replace(40, 8, bytesOf<uint64_t>(64));
  Bad.replace(64 + 32, 8, bytesOf<uint64_t>(~uint64_t(0)));
  EXPECT_EQ(codeObjectSize(Bad), std::nullopt);
}
