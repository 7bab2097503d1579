//===- CompareMoved.h - comparison of moved sections ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the sections of a file whose addresses have moved, each by its
// contents: code instruction by instruction (CompareCode.cpp), unwind tables as
// LLVM parses them (CompareUnwind.cpp), tables of handlers as unwinders read
// them (CompareTypes.cpp), and other sections byte by byte, except for places
// with a relocation in the original, which must have the same target
// (CompareData.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREMOVED_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREMOVED_H

#include "CompareHost.h"
#include "Disassembler.h"
#include "llvm/ADT/DenseMap.h"

namespace kpack::hostrewrite::verifier {

/// A place with a relocation of --emit-relocs.
struct RelocatedField {
  uint64_t Offset; ///< in its section
  uint32_t Size;
  bool IsRelative; ///< it holds a distance
  bool IsOffset;   ///< an offset in a section that is not loaded
  uint64_t Addend;
};

class MovedComparer {
public:
  MovedComparer(const Side &Old, const Side &New, const Shift &Moved,
                Findings &F)
      : Old(Old), New(New), Moved(Moved), F(F) {}
  /// Compares all sections. Adds the original addresses of sections whose bytes
  /// it compared to \p Compared.
  void run(Ranges &Compared);

private:
  bool isSameTable() const;
  bool prepare();
  void compareSection(size_t Index);
  llvm::StringRef bytesOf(const Side &S, const Section &Content) const;

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
  uint64_t compareInstruction(size_t Index, uint64_t Offset,
                              llvm::StringRef Was, llvm::StringRef Is);
  std::optional<bool> takeFields(const Section &In, uint64_t Offset,
                                 const Decoded &I, llvm::StringRef Is,
                                 llvm::MutableArrayRef<char> Wanted) const;
  bool isSameInstruction(const Section &In, uint64_t Offset, const Decoded &I,
                         llvm::StringRef Was, llvm::StringRef Is) const;
  bool mayBeAddress(uint64_t Value) const;
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
  /// The places where unwinders find their tables.
  const Segment *FrameHeader = nullptr;
  std::optional<uint64_t> Frames;
  /// Limit on steps: tables of handlers may coincide, and each may be long.
  uint64_t TypesBudget = 4 * Old.Image.file().size();
  /// Fields of the current section, by offset.
  std::vector<RelocatedField> Fields;
  /// Types of the loader's relocations, by address.
  llvm::DenseMap<uint64_t, uint32_t> Loaders;
  /// For each section of the original, the sections with its relocations.
  std::vector<llvm::SmallVector<size_t, 1>> RelocationsOf;
  std::vector<const Section *> ByAddress;
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREMOVED_H
