//===- TestSupport.cpp - inputs and mutations for these tests -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TestSupport.h. Truncated and mutated inputs are given in heap blocks of
// their exact size, so that a sanitizer sees a read past the end.
//
//===----------------------------------------------------------------------===//
#include "TestSupport.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/ObjectYAML/yaml2obj.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>

using namespace llvm;

namespace kpack::test {

std::string makeBundle(const BundleEntries &Entries, uint64_t Align) {
  uint64_t Table = 24 + 8;
  for (const auto &[Id, Code] : Entries)
    Table += 24 + Id.size();
  std::string Out =
      "__CLANG_OFFLOAD_BUNDLE__" + bytesOf<uint64_t>(Entries.size());
  uint64_t Offset = Table;
  for (const auto &[Id, Code] : Entries) {
    Offset = alignTo(Offset, Align);
    Out += bytesOf<uint64_t>(Offset) + bytesOf<uint64_t>(Code.size()) +
           bytesOf<uint64_t>(Id.size()) + Id;
    Offset += Code.size();
  }
  for (const auto &[Id, Code] : Entries) {
    Out.resize(alignTo(Out.size(), Align));
    Out += Code;
  }
  return Out;
}

uint64_t bundleHash(StringRef Plain) {
  return MD5::hash(arrayRefFromStringRef(Plain)).low();
}

std::string compressBundle(StringRef Plain, unsigned Version, Method How) {
  return compressBundle(Plain, Version, How, bundleHash(Plain));
}

std::string compressBundle(StringRef Plain, unsigned Version, Method How,
                           uint64_t Hash) {
  SmallVector<uint8_t, 0> Packed;
  if (How == Method::Zstd)
    compression::zstd::compress(arrayRefFromStringRef(Plain), Packed);
  else
    compression::zlib::compress(arrayRefFromStringRef(Plain), Packed);
  std::string Out = "CCOB" + bytesOf<uint16_t>(Version) +
                    bytesOf<uint16_t>(static_cast<uint16_t>(How));
  if (Version == 2)
    Out += bytesOf<uint32_t>(24 + Packed.size());
  if (Version == 3)
    Out +=
        bytesOf<uint64_t>(32 + Packed.size()) + bytesOf<uint64_t>(Plain.size());
  else
    Out += bytesOf<uint32_t>(Plain.size());
  Out += bytesOf<uint64_t>(Hash);
  Out.append(Packed.begin(), Packed.end());
  return Out;
}

std::string makeOffloadBinary(const std::vector<OffloadBinaryImage> &Images,
                              unsigned Version) {
  // Header, entries, tables of two strings each, then texts and images.
  uint64_t SlotSize = Version == 1 ? 16 : 24;
  uint64_t Tables = 32 + 40 * Images.size();
  uint64_t Texts = Tables + 2 * SlotSize * Images.size();
  std::string Entries, Slots, Data;
  auto Place = [&](const std::string &Bytes) {
    uint64_t At = Texts + Data.size();
    Data += Bytes;
    return At;
  };
  for (const OffloadBinaryImage &Image : Images) {
    uint64_t Table = Tables + Slots.size();
    for (const auto &[Key, Value] :
         {std::pair<std::string, std::string>("triple", "amdgcn-amd-amdhsa"),
          {"arch", Image.Target}}) {
      Slots += bytesOf<uint64_t>(Place(Key + '\0'));
      Slots += bytesOf<uint64_t>(Place(Value + '\0'));
      if (Version != 1)
        Slots += bytesOf<uint64_t>(Value.size());
    }
    Entries += bytesOf<uint16_t>(Image.Kind) +
               bytesOf<uint16_t>(Image.Producer) + bytesOf<uint32_t>(0) +
               bytesOf<uint64_t>(Table) + bytesOf<uint64_t>(2) +
               bytesOf<uint64_t>(Place(Image.Bytes)) +
               bytesOf<uint64_t>(Image.Bytes.size());
  }
  return "\x10\xFF\x10\xAD" + bytesOf<uint32_t>(Version) +
         bytesOf<uint64_t>(Texts + Data.size()) + bytesOf<uint64_t>(32) +
         bytesOf<uint64_t>(Version == 1 ? 40 : Images.size()) + Entries +
         Slots + Data;
}

std::string makeCodeObject(uint32_t Flags, const std::string &Code,
                           uint8_t Abi) {
  std::string Ident = std::string("\x7f") + "ELF\2\1\1\x40" + char(Abi);
  Ident.resize(16);
  return Ident + bytesOf<uint16_t>(3) + bytesOf<uint16_t>(224) +
         bytesOf<uint32_t>(1) + bytesOf<uint64_t>(0) +  // entry
         bytesOf<uint64_t>(64) + bytesOf<uint64_t>(0) + // tables
         bytesOf<uint32_t>(Flags) + bytesOf<uint16_t>(64) +
         bytesOf<uint16_t>(56) + bytesOf<uint16_t>(1) + bytesOf<uint16_t>(64) +
         bytesOf<uint16_t>(0) + bytesOf<uint16_t>(0) +
         // The segment: PT_LOAD, behind both headers.
         bytesOf<uint32_t>(1) + bytesOf<uint32_t>(5) + bytesOf<uint64_t>(120) +
         bytesOf<uint64_t>(0) + bytesOf<uint64_t>(0) +
         bytesOf<uint64_t>(Code.size()) + bytesOf<uint64_t>(Code.size()) +
         bytesOf<uint64_t>(4096) + Code;
}

std::string elfFromYaml(StringRef Yaml) {
  SmallString<0> Storage;
  raw_svector_ostream Out(Storage);
  yaml::Input In(Yaml);
  bool Good = yaml::convertYAML(In, Out, [](const Twine &Message) {
    ADD_FAILURE() << "yaml2obj: " << Message.str();
  });
  EXPECT_TRUE(Good);
  return std::string(Storage);
}

std::string hex(StringRef Bytes) { return toHex(Bytes); }

std::string bitcodeFromAssembly(StringRef Assembly) {
  LLVMContext Context;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M =
      parseAssemblyString(Assembly, Diagnostic, Context);
  if (!M) {
    ADD_FAILURE() << "llvm-as: " << Diagnostic.getMessage().str();
    return std::string();
  }
  SmallString<0> Storage;
  raw_svector_ostream Out(Storage);
  WriteBitcodeToFile(*M, Out);
  return std::string(Storage);
}

/// Hands \p Bytes over in a block of exactly their size.
static void tryExact(StringRef Bytes,
                     const std::function<void(StringRef)> &Try) {
  std::unique_ptr<char[]> Block(new char[Bytes.size() + 1]);
  // Odd addresses, as members of archives have them.
  char *Start = Block.get() + 1;
  if (!Bytes.empty())
    std::memcpy(Start, Bytes.data(), Bytes.size());
  Try(StringRef(Start, Bytes.size()));
}

void forEachTruncation(const std::string &Good,
                       const std::function<void(StringRef)> &Try) {
  for (size_t Length = 0; Length != Good.size(); ++Length)
    tryExact(StringRef(Good).take_front(Length), Try);
}

void forEachMutation(const std::string &Good, unsigned Count,
                     const std::function<void(StringRef)> &Try) {
  std::mt19937 Random(1);
  // Numbers that overflow sums and counts, or just miss an end.
  uint64_t Interesting[] = {
      0,          1,          Good.size() - 1,   Good.size(),  Good.size() + 1,
      0x7fffffff, 0xffffffff, uint64_t(1) << 63, ~uint64_t(0), ~uint64_t(7)};
  for (unsigned I = 0; I != Count; ++I) {
    std::string Bad = Good;
    for (unsigned Changes = 1 + Random() % 3; Changes != 0; --Changes) {
      size_t At = Random() % Bad.size();
      size_t Width = Random() % 2 ? 1 : size_t(4) << (Random() % 2);
      uint64_t Value = Width == 1 || Random() % 4 == 0
                           ? Random()
                           : Interesting[Random() % std::size(Interesting)];
      if (Width != 1)
        At &= ~size_t(3);
      std::string Bytes = bytesOf(Value);
      for (size_t B = 0; B != Width && At + B < Bad.size(); ++B)
        Bad[At + B] = Bytes[B];
    }
    tryExact(Bad, Try);
  }
}

} // namespace kpack::test
