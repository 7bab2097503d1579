//===- MarkerObjectTest.cpp - tests of the object with the marker ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MarkerObject.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"

#include <gtest/gtest.h>
#include <map>

using namespace kpack::linker;
using namespace llvm;
using namespace llvm::object;

namespace {

struct SymbolFacts {
  std::string Section;
  uint64_t Value;
  unsigned Binding, Visibility;
};

std::map<std::string, SymbolFacts> symbols(const ELF64LEObjectFile &Object) {
  std::map<std::string, SymbolFacts> Facts;
  for (const ELFSymbolRef &Symbol : Object.symbols()) {
    section_iterator Section = cantFail(Symbol.getSection());
    StringRef SectionName =
        Section == Object.section_end() ? "" : cantFail(Section->getName());
    Facts[cantFail(Symbol.getName()).str()] = {
        SectionName.str(), cantFail(Symbol.getValue()), Symbol.getBinding(),
        static_cast<unsigned>(Symbol.getOther() & 3)};
  }
  return Facts;
}

std::unique_ptr<ObjectFile> parse(const std::string &Bytes) {
  return cantFail(
      ObjectFile::createObjectFile(MemoryBufferRef(Bytes, "marker.o")));
}

TEST(MarkerObject, AllTokensStandForTheMarker) {
  MarkerSymbols Symbols;
  Symbols.Tokens = {0x3fc15a68e0db35d, UINT64_MAX};
  Symbols.SharedHandles = {"__hip_gpubin_handle_1", "__hip_gpubin_handle_2"};
  Symbols.OwnHandles = {"__hip_gpubin_handle_3", "__hip_gpubin_handle_4"};
  std::string Bytes =
      cantFail(makeMarkerObject("marker bytes", Symbols, ELF::EM_X86_64));
  std::unique_ptr<ObjectFile> File = parse(Bytes);
  const auto &Object = cast<ELF64LEObjectFile>(*File);
  EXPECT_EQ(File->getArch(), Triple::x86_64);

  std::map<std::string, SymbolFacts> Found = symbols(Object);
  for (const char *Name : {"__rocm_kpack_ref", "__hip_fatbin_3fc15a68e0db35d",
                           "__hip_fatbin_ffffffffffffffff"}) {
    ASSERT_TRUE(Found.count(Name)) << Name;
    EXPECT_EQ(Found[Name].Section, ".rocm_kpack_ref");
    EXPECT_EQ(Found[Name].Value, 0u);
    EXPECT_EQ(Found[Name].Binding, unsigned(ELF::STB_GLOBAL));
    EXPECT_EQ(Found[Name].Visibility, unsigned(ELF::STV_HIDDEN));
  }
  // TUs of one device link register once, the others each for itself.
  std::set<uint64_t> Slots;
  for (const char *Name : {"1", "2", "3", "4"}) {
    const SymbolFacts &Handle =
        Found[std::string("__hip_gpubin_handle_") + Name];
    EXPECT_EQ(Handle.Binding, unsigned(ELF::STB_WEAK));
    EXPECT_EQ(Handle.Visibility, unsigned(ELF::STV_HIDDEN));
    Slots.insert(Handle.Value);
  }
  EXPECT_EQ(Found["__hip_gpubin_handle_1"].Value,
            Found["__hip_gpubin_handle_2"].Value);
  EXPECT_EQ(Slots, (std::set<uint64_t>{0, 8, 16}));

  for (const SectionRef &Section : Object.sections()) {
    if (cantFail(Section.getName()) != ".rocm_kpack_ref")
      continue;
    EXPECT_EQ(cantFail(Section.getContents()), "marker bytes");
    EXPECT_EQ(ELFSectionRef(Section).getFlags(), uint64_t(ELF::SHF_ALLOC));
    EXPECT_EQ(Section.getAlignment().value(), 8u);
  }
}

TEST(MarkerObject, MachineIsThatOfTheInputs) {
  std::string Bytes = cantFail(makeMarkerObject("m", {}, ELF::EM_AARCH64));
  std::unique_ptr<ObjectFile> File = parse(Bytes);
  const auto &Object = cast<ELF64LEObjectFile>(*File);
  EXPECT_EQ(File->getArch(), Triple::aarch64);
  EXPECT_EQ(symbols(Object).count("__hip_gpubin_handle_1"), 0u);
}

} // namespace
