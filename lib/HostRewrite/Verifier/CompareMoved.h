//===- CompareMoved.h - two files, one with other addresses -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sections of a file whose addresses have moved, each by what can be known
// of it: code instruction by instruction (CompareCode.cpp), unwind tables by
// what LLVM reads out of them (CompareUnwind.cpp), tables of handlers as
// unwinders go through them (CompareTypes.cpp), everything else byte by byte
// but for the places that a relocation of the original names, which have to
// lead to the same thing (CompareData.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREMOVED_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREMOVED_H

#include "CompareHost.h"
#include "Disassembler.h"
#include "llvm/ADT/DenseMap.h"

namespace kpack::hostrewrite::verifier {

/// A place that a relocation of --emit-relocs is for.
struct RelocatedField {
  uint64_t Offset; ///< in its section
  uint32_t Size;
  bool IsRelative; ///< it holds a distance
  bool IsOffset;   ///< into what is not loaded: a number
  uint64_t Addend;
};

class MovedComparer {
public:
  MovedComparer(const Side &Old, const Side &New, const Shift &Moved,
                Findings &F)
      : Old(Old), New(New), Moved(Moved), F(F) {}
  /// Compares all sections. \p Compared gets the addresses of those whose bytes
  /// were, as the original has them.
  void run(Ranges &Compared);

private:
  bool isSameTable() const;
  bool prepare();
  void compareSection(size_t Index);
  llvm::StringRef bytesOf(const Side &S, const Section &Of) const;

  void readFields(size_t Target);
  void addField(const char *Entry, const Section &Target,
                llvm::StringRef Symbols);
  bool isSameField(const RelocatedField &Field, uint64_t Was, uint64_t Is,
                   uint64_t Address) const;
  void compareData(size_t Index);
  bool compareFields(size_t Index, llvm::StringRef Was, llvm::StringRef Is);
  void checkUnrelocated(size_t Index, llvm::StringRef Was);
  void checkTables(size_t Index, llvm::StringRef Was);
  void compareOffsets(size_t Index);
  void compareSymbols(size_t Index);
  void compareRelocations(size_t Index);

  void compareCode(size_t Index);
  uint64_t compareInstruction(size_t Index, uint64_t At, llvm::StringRef Was,
                              llvm::StringRef Is);
  std::optional<bool> takeFields(const Section &In, uint64_t At,
                                 const Decoded &I, llvm::StringRef Is,
                                 llvm::MutableArrayRef<char> Wanted) const;
  bool isSameInstruction(const Section &In, uint64_t At, const Decoded &I,
                         llvm::StringRef Was, llvm::StringRef Is) const;
  bool mayBeAddress(uint64_t Number) const;
  bool looksLikeTable(uint64_t Address) const;

  void compareFrames(size_t Index);
  void compareFrameHeader(size_t Index);
  void compareTypes(uint64_t Table);

  bool isSameAddress(uint64_t Was, uint64_t Is) const {
    return !Moved.isGone(Was) && Moved.at(Was) == Is;
  }
  const Section *sectionAt(uint64_t Address) const;
  void different(const Section &In, uint64_t Offset) {
    F.problem("section " + In.Name + " is not that of the original at " +
                  hexText(In.Address + Offset),
              "keep the original, or convert it with --keep-layout");
  }

  const Side &Old, &New;
  const Shift &Moved;
  Findings &F;
  std::unique_ptr<Disassembler> Decoder;
  /// How unwinders find their tables.
  const Segment *FrameHeader = nullptr;
  std::optional<uint64_t> Frames;
  /// Steps: tables of handlers may be the same, and each lead far.
  uint64_t TypesBudget = 4 * Old.Image.file().size();
  /// Of the section that is compared, by their offsets.
  std::vector<RelocatedField> Fields;
  /// Addresses with a relocation of the loader that has a symbol.
  llvm::DenseMap<uint64_t, uint32_t> Loaders;
  /// By the original's sections: those that have relocations for them.
  std::vector<llvm::SmallVector<size_t, 1>> RelocationsOf;
  std::vector<const Section *> ByAddress;
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREMOVED_H
