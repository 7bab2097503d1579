//===- CompareHost.h - two files side by side -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file and what it was made of. Parts of the comparison: CompareHost.cpp
// (headers, wrappers, sections), CompareTables.cpp (what the dynamic linker is
// told), CompareMemory.cpp (all else, byte by byte), CompareMoved.h (sections
// of a file whose addresses have moved).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREHOST_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREHOST_H

#include "HostRewrite/Verifier/Verifier.h"
#include "Ranges.h"
#include "Relocations.h"
#include "Sections.h"
#include "Shift.h"

namespace kpack::hostrewrite::verifier {

/// One of the two files.
struct Side {
  const LoadedImage &Image;
  std::optional<DynamicTable> Table;
  std::optional<Relocations> Relocated;
  std::vector<HostWrapper> Wrappers;
  std::vector<Section> Sections;
  /// Addresses of those that have instructions.
  Ranges Code;
  /// Of all sections that are mapped.
  Ranges Contents;

  explicit Side(const LoadedImage &Image);
};

/// Tables that only the dynamic table leads to, so that they may be moved:
/// their tags.
llvm::ArrayRef<uint64_t> movableTables();
/// Where the table \p Tag stands; 0: nowhere. Of a size, the size.
uint64_t addressOf(const Side &S, uint64_t Tag);
/// The bytes of a table: as many as its section has, or else up to whatever
/// stands after it.
llvm::StringRef tableBytes(const Side &S, uint64_t Tag);
/// The symbol table with whole symbols.
llvm::StringRef symbolBytes(const Side &S);

/// What only its program header leads to, so that it may be moved.
bool isFoundByHeader(uint32_t Type);
/// In their order, without those that a conversion splits, adds or drops.
std::vector<const Segment *> otherSegments(const LoadedImage &Image);

/// Each of \p Is is at the place of \p Was, \p Moved, and two share an index
/// only if they shared code; \p Different gets what is not so.
void compareWrappers(llvm::ArrayRef<HostWrapper> Was,
                     llvm::ArrayRef<HostWrapper> Is,
                     llvm::function_ref<void(const llvm::Twine &)> Different,
                     const Shift &Moved = Shift());

class HostComparer {
public:
  HostComparer(const Side &Old, const Side &New, Findings &F)
      : Old(Old), New(New), F(F) {}
  void run();

private:
  void compareHeaders();
  bool isSameSegment(const Segment &Was, const Segment &Is) const;
  void compareDynamic();
  void compareTables();
  void compareSymbols();
  void compareRelocations();
  void compareSections();
  void compareSection(const Section &Was, const Section &Is);
  void compareAmount();
  void compareMemory();
  void compareRange(const Segment &Load, uint64_t Begin, uint64_t End,
                    bool IsCompared);
  bool isMoved(uint64_t Tag) const {
    return Moved.at(addressOf(Old, Tag)) != addressOf(New, Tag);
  }
  bool isSameSymbol(llvm::StringRef Was, llvm::StringRef Is) const;
  bool hasSameRights(const Segment &Was, const Segment &Is, uint64_t At,
                     uint64_t Size) const;
  void addTables(Ranges &To) const;
  void addHeaders(Ranges &To) const;
  Ranges changedPlaces() const;
  void different(const llvm::Twine &What) {
    F.problem(What, "keep the original, and convert it again");
  }

  const Side &Old, &New;
  /// Where addresses of the original are now.
  const Shift Moved = Shift::between(Old, New);
  Findings &F;
  uint64_t SectionBudget = Old.Image.file().size();
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREHOST_H
