//===- VerifierTest.cpp - tests of the verifier of binaries ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One small file, in which addresses are offsets and everything is in one
// PT_LOAD, made by hand and then made wrong. What linkers make:
// test/tools/kpack and test/HostRewrite.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/Verifier/Verifier.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"

#include <ctime>

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace llvm;

namespace {

/// Where things stand.
constexpr uint64_t HeadersAt = 64, DynamicAt = 0x200, StringsAt = 0x300,
                   SymbolsAt = 0x320, RelocationsAt = 0x380, WrapperAt = 0x400,
                   SlotAt = 0x440, MarkerAt = 0x480, FileSize = 0x600;
/// Of good(): the number of DT_RELASZ.
constexpr uint64_t RelaSizeAt = DynamicAt + 5 * 16 + 8;

class Binary {
public:
  explicit Binary(uint16_t Type = ELF::ET_DYN) : Bytes(FileSize, '\0') {
    Bytes.replace(0, 8, std::string("\177ELF\2\1\1\0", 8));
    put16(16, Type);
    put16(18, ELF::EM_X86_64);
    put32(20, 1);
    put64(32, HeadersAt);
    put16(52, 64);
    put16(54, 56);
    addSegment(ELF::PT_LOAD, ELF::PF_R | ELF::PF_W, 0, FileSize);
    put32(WrapperAt, 0x4B504948);
    put32(WrapperAt + 4, 1);
    kpack::Marker M;
    M.KernelName = "app";
    M.SearchPaths = {"app.kpack"};
    std::string Encoded = *encodeMarker(M);
    MarkerSize = Encoded.size();
    Bytes.replace(MarkerAt, MarkerSize, Encoded);
  }

  void put16(uint64_t Offset, uint16_t V) {
    support::endian::write16le(&Bytes[Offset], V);
  }
  void put32(uint64_t Offset, uint32_t V) {
    support::endian::write32le(&Bytes[Offset], V);
  }
  void put64(uint64_t Offset, uint64_t V) {
    support::endian::write64le(&Bytes[Offset], V);
  }

  void addSegment(uint32_t Type, uint32_t Flags, uint64_t Offset, uint64_t Size,
                  uint64_t Align = 0x1000) {
    uint64_t P = HeadersAt + 56 * SegmentCount++;
    put16(56, SegmentCount);
    put32(P, Type);
    put32(P + 4, Flags);
    for (unsigned Field : {8, 16, 24})
      put64(P + Field, Offset);
    put64(P + 32, Size);
    put64(P + 40, Size);
    put64(P + 48, Align);
  }

  /// The last entry counts of those that are equal.
  void addDynamic(uint64_t Tag, uint64_t Value) {
    put64(DynamicAt + 16 * DynamicCount, Tag);
    put64(DynamicAt + 16 * DynamicCount++ + 8, Value);
  }

  /// A library, still without relocations.
  void makeDynamic() {
    addSegment(ELF::PT_DYNAMIC, ELF::PF_R | ELF::PF_W, DynamicAt, 0x100, 8);
    Bytes.replace(StringsAt, 7, std::string("\0first\0", 7));
    put32(SymbolsAt + 24, 1);
    addDynamic(ELF::DT_STRTAB, StringsAt);
    addDynamic(ELF::DT_STRSZ, 7);
    addDynamic(ELF::DT_SYMTAB, SymbolsAt);
    addDynamic(ELF::DT_SYMENT, 24);
  }

  void addRela(uint64_t Place, uint64_t Info, uint64_t Addend) {
    uint64_t Offset = RelocationsAt + 24 * RelaCount++;
    put64(Offset, Place);
    put64(Offset + 8, Info);
    put64(Offset + 16, Addend);
  }

  /// One with a relative relocation for its wrapper.
  static Binary good() {
    Binary B;
    B.makeDynamic();
    B.addRela(WrapperAt + 8, ELF::R_X86_64_RELATIVE, MarkerAt);
    B.addDynamic(ELF::DT_RELA, RelocationsAt);
    B.addDynamic(ELF::DT_RELASZ, 24);
    B.addDynamic(ELF::DT_RELAENT, 24);
    return B;
  }

  VerifiedHost verify() const { return verifyHost(Bytes, "f"); }
  std::vector<std::string> problems() const { return verify().Problems; }

  std::string Bytes;
  size_t MarkerSize = 0;
  unsigned SegmentCount = 0, DynamicCount = 0, RelaCount = 0;
};

/// Whether there is one message, with \p Part in it.
testing::AssertionResult isOnly(const std::vector<std::string> &Messages,
                                StringRef Part) {
  if (Messages.size() == 1 && StringRef(Messages[0]).contains(Part))
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "not only '" << Part.str() << "': " << join(Messages, "\n");
}

testing::AssertionResult isRight(const std::vector<std::string> &Messages) {
  if (Messages.empty())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << join(Messages, "\n");
}

constexpr const char *Unmoved =
    "f: wrapper 0 at 0x400: no relocation writes its pointer, so it does not "
    "lead into the memory of the program; link or convert it again";

} // namespace

TEST(Verifier, AcceptsARelativeRelocation) {
  Binary B = Binary::good();
  VerifiedHost Host = B.verify();
  EXPECT_TRUE(isRight(Host.Problems));
  ASSERT_EQ(Host.Wrappers.size(), 1u);
  EXPECT_EQ(Host.Wrappers[0].Address, WrapperAt);
  EXPECT_EQ(Host.Wrappers[0].FileOffset, WrapperAt);
  EXPECT_EQ(Host.Wrappers[0].Pointer, MarkerAt);
  EXPECT_EQ(Host.MarkerAddress, MarkerAt);
  EXPECT_EQ(Host.MarkerBytes.size(), B.MarkerSize);
}

TEST(Verifier, AcceptsOwnSymbolsOnly) {
  for (bool IsDefined : {true, false}) {
    Binary B = Binary::good();
    B.RelaCount = 0;
    B.addRela(WrapperAt + 8, (uint64_t(1) << 32) | ELF::R_X86_64_64, 0x80);
    B.put16(SymbolsAt + 24 + 6, IsDefined);
    B.put64(SymbolsAt + 24 + 8, MarkerAt - 0x80);
    if (IsDefined)
      EXPECT_TRUE(isRight(B.problems()));
    else
      EXPECT_TRUE(isOnly(B.problems(), "its pointer is that of another file"));
  }
}

TEST(Verifier, AcceptsRelr) {
  Binary B;
  B.makeDynamic();
  B.put64(WrapperAt + 8, MarkerAt);
  // An address, and the words behind it: the seventh is the wrapper's pointer.
  B.put64(RelocationsAt, WrapperAt + 8 - 7 * 8);
  B.put64(RelocationsAt + 8, (uint64_t(1) << 7) | 1);
  B.addDynamic(ELF::DT_RELR, RelocationsAt);
  B.addDynamic(ELF::DT_RELRSZ, 16);
  B.addDynamic(ELF::DT_RELRENT, 8);
  EXPECT_TRUE(isRight(B.problems()));
  B.put64(RelocationsAt + 8, (uint64_t(1) << 6) | 1);
  EXPECT_TRUE(isOnly(B.problems(), Unmoved));
}

TEST(Verifier, ProgramThatDoesNotMove) {
  Binary B(ELF::ET_EXEC);
  B.put64(WrapperAt + 8, MarkerAt);
  EXPECT_TRUE(isRight(B.problems()));
  B.put64(WrapperAt + 8, 0);
  EXPECT_TRUE(isOnly(B.problems(), "where no marker stands"));
  B.put64(WrapperAt + 8, FileSize);
  EXPECT_TRUE(isOnly(B.problems(), "leads to 0x600, which is not mapped"));
}

TEST(Verifier, RefusesMissingAndDuplicateRelocations) {
  Binary B = Binary::good();
  B.put64(RelocationsAt, SlotAt);
  EXPECT_TRUE(isOnly(B.problems(), Unmoved));
  B.put64(RelocationsAt, WrapperAt + 8);
  B.addRela(WrapperAt + 8, ELF::R_X86_64_RELATIVE, MarkerAt);
  B.put64(RelaSizeAt, 48);
  EXPECT_TRUE(isOnly(B.problems(), "2 relocations write its pointer"));
}

TEST(Verifier, RefusesARelocatedMarker) {
  Binary B = Binary::good();
  B.addRela(MarkerAt + B.MarkerSize - 1, ELF::R_X86_64_RELATIVE, 0);
  B.put64(RelaSizeAt, 48);
  EXPECT_TRUE(isOnly(B.problems(), "writes into the marker"));
}

TEST(Verifier, SegmentsThatShareAPage) {
  for (uint64_t Address : {FileSize, uint64_t(0x1000)}) {
    Binary B = Binary::good();
    B.Bytes.resize(0x3000);
    B.addSegment(ELF::PT_LOAD, ELF::PF_R, Address, 0x100);
    if (Address == FileSize)
      EXPECT_TRUE(isOnly(B.problems(), "the PT_LOAD at 0x600 maps a page that "
                                       "the one at 0x0 maps, too"));
    else
      EXPECT_TRUE(isRight(B.problems()));
  }
}

TEST(Verifier, RefusesEveryTruncation) {
  std::string Good = Binary::good().Bytes;
  for (size_t Size = 0; Size != Good.size(); ++Size) {
    // Without slack behind it, for sanitizers.
    std::vector<char> Cut(Good.begin(), Good.begin() + Size);
    StringRef Bytes(Cut.data(), Cut.size());
    EXPECT_FALSE(verifyHost(Bytes, "f").ok()) << Size;
    EXPECT_FALSE(compareHost(Good, Bytes, "f").empty()) << Size;
  }
}

TEST(Verifier, ImpossibleNumbersDoNoHarm) {
  for (uint64_t Value : {~uint64_t(0), ~uint64_t(0) - 7, uint64_t(1) << 63,
                         uint64_t(1) << 47, FileSize})
    for (uint64_t Offset = 0; Offset != FileSize; Offset += 8) {
      Binary B = Binary::good();
      B.put64(Offset, Value);
      B.verify();
      compareHost(B.Bytes, B.Bytes, "f");
    }
}

/// Tables that lead in a circle have an end all the same.
TEST(Verifier, CirclesOfVersions) {
  Binary B = Binary::good();
  B.addDynamic(ELF::DT_NEEDED, 1);
  B.addDynamic(ELF::DT_VERNEED, SlotAt);
  B.addDynamic(ELF::DT_VERNEEDNUM, ~uint64_t(0));
  B.addDynamic(ELF::DT_VERSYM, SlotAt);
  B.put16(SlotAt, 1);
  B.put32(SlotAt + 4, 1);
  B.put32(SlotAt + 12, 0xfffffff0);
  EXPECT_TRUE(isOnly(B.problems(), "DT_VERNEED 0x440"));
}

/// What costs nothing to say may not cost much to check: many relocations for
/// one symbol with a long name, and libraries that all are parts of it.
TEST(Verifier, LongSharedNamesTakeLinearTime) {
  constexpr uint64_t Count = 100000, NamesAt = 0x1000, NamesSize = 2 << 20;
  constexpr uint64_t RelaAt = NamesAt + NamesSize,
                     TableAt = RelaAt + Count * 24;
  constexpr uint64_t Size = TableAt + (Count + 20) * 16;
  Binary B;
  B.makeDynamic();
  B.Bytes.resize(Size);
  for (uint64_t Field : {32, 40})
    B.put64(HeadersAt + Field, Size);
  B.Bytes.replace(NamesAt + 1, NamesSize - 2, NamesSize - 2, 'a');
  for (uint64_t I = 0; I != Count; ++I) {
    B.put64(RelaAt + I * 24, SlotAt);
    B.put64(RelaAt + I * 24 + 8, (uint64_t(1) << 32) | ELF::R_X86_64_64);
    B.put64(TableAt + I * 16, ELF::DT_NEEDED);
    B.put64(TableAt + I * 16 + 8, 1 + I);
  }
  uint64_t Offset = TableAt + Count * 16;
  for (auto [Tag, Value] :
       std::vector<std::pair<uint64_t, uint64_t>>{{ELF::DT_STRTAB, NamesAt},
                                                  {ELF::DT_STRSZ, NamesSize},
                                                  {ELF::DT_SYMTAB, SymbolsAt},
                                                  {ELF::DT_SYMENT, 24},
                                                  {ELF::DT_RELA, RelaAt},
                                                  {ELF::DT_RELASZ, Count * 24},
                                                  {ELF::DT_RELAENT, 24},
                                                  {ELF::DT_VERNEED, SlotAt},
                                                  {ELF::DT_VERNEEDNUM, 1}}) {
    B.put64(Offset, Tag);
    B.put64(Offset + 8, Value);
    Offset += 16;
  }
  B.put64(SlotAt, 1); // a table of one library
  for (uint64_t Field : {8, 16})
    B.put64(HeadersAt + 56 + Field, TableAt);
  for (uint64_t Field : {32, 40})
    B.put64(HeadersAt + 56 + Field, Size - TableAt);
  std::clock_t Start = std::clock();
  EXPECT_FALSE(B.problems().empty());
  compareHost(B.Bytes, B.Bytes, "f");
  EXPECT_LT(std::clock() - Start, 5 * CLOCKS_PER_SEC);
}

/// Sections that all say that they are the same memory.
TEST(Verifier, OverlappingSectionsTakeLinearTime) {
  constexpr uint64_t Count = 20000, SectionsAt = 0x1000;
  Binary B = Binary::good();
  uint64_t Size = SectionsAt + Count * 64 + (4 << 20);
  B.Bytes.resize(Size);
  for (uint64_t Field : {32, 40})
    B.put64(HeadersAt + Field, Size);
  B.put64(40, SectionsAt);
  B.put16(58, 64);
  B.put16(60, Count);
  for (uint64_t I = 1; I != Count; ++I) {
    uint64_t Offset = SectionsAt + I * 64;
    B.put32(Offset + 4, I % 2 ? ELF::SHT_NOBITS : ELF::SHT_PROGBITS);
    B.put64(Offset + 8, I % 2 ? ELF::SHF_ALLOC : 0);
    B.put64(Offset + 16, Size - (4 << 20));
    B.put64(Offset + 24, Size - (4 << 20));
    B.put64(Offset + 32, 4 << 20);
  }
  std::clock_t Start = std::clock();
  EXPECT_FALSE(B.problems().empty());
  EXPECT_FALSE(compareHost(B.Bytes, B.Bytes, "f").empty());
  EXPECT_LT(std::clock() - Start, 5 * CLOCKS_PER_SEC);
}

/// As patchelf leaves it: the table has grown over where a property was.
TEST(Verifier, HeadersAreNoContentsOfASegment) {
  auto Make = [](bool IsConverted) {
    Binary B = Binary::good();
    B.addSegment(ELF::PT_GNU_PROPERTY, ELF::PF_R, HeadersAt + 56, 0x100, 8);
    if (IsConverted)
      B.addSegment(ELF::PT_NULL, 0, 0, 0);
    return B;
  };
  Binary Old = Make(false), New = Make(true);
  EXPECT_TRUE(isRight(compareHost(Old.Bytes, New.Bytes, "f")));
  // Behind the table it has contents, and its place is compared.
  New.put64(HeadersAt + 0x140, 1);
  EXPECT_TRUE(isOnly(compareHost(Old.Bytes, New.Bytes, "f"),
                     "are not those of the original"));
  Binary Moved = Make(true);
  for (unsigned Field : {8, 16, 24})
    Moved.put64(HeadersAt + 2 * 56 + Field, HeadersAt + 64);
  EXPECT_TRUE(isOnly(compareHost(Old.Bytes, Moved.Bytes, "f"),
                     "program headers besides PT_LOAD"));
}

TEST(Verifier, ComparesWithTheOriginal) {
  Binary Old = Binary::good(), New = Binary::good();
  EXPECT_TRUE(isRight(compareHost(Old.Bytes, New.Bytes, "f")));
  New.put64(SlotAt + 0x20, 1);
  EXPECT_TRUE(isOnly(compareHost(Old.Bytes, New.Bytes, "f"),
                     "are not those of the original; keep the original, and "
                     "convert it again"));
  Binary Other = Binary::good();
  Other.put32(WrapperAt + 16, 7);
  EXPECT_TRUE(isOnly(compareHost(Old.Bytes, Other.Bytes, "f"),
                     "wrapper 0 has another index"));
}
