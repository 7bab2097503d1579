//===- CompareHost.h - comparison with the original file --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares a file with its original. Parts: CompareHost.cpp (headers, wrappers,
// sections), CompareTables.cpp (input of the dynamic linker), CompareMemory.cpp
// (all other bytes), CompareMoved.h (sections of a file whose addresses have
// moved).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREHOST_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREHOST_H

#include "DynamicRelocations.h"
#include "HostRewrite/Verifier/Verifier.h"
#include "Ranges.h"
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
  /// Addresses of sections with instructions.
  Ranges Code;
  /// Addresses of all mapped sections.
  Ranges Contents;

  explicit Side(const LoadedImage &Image);
};

/// Tags of tables that only the dynamic table refers to, so they may move.
llvm::ArrayRef<uint64_t> movableTables();
/// Returns the value of \p Tag, an address or a size; 0 if there is none.
uint64_t addressOf(const Side &S, uint64_t Tag);
/// Returns the bytes of a table, up to the end of its section or else up to the
/// next known address.
llvm::StringRef tableBytes(const Side &S, uint64_t Tag);
/// Returns the symbol table, cut to whole symbols.
llvm::StringRef symbolBytes(const Side &S);

/// True for types whose contents only a program header refers to, so they may
/// move.
bool isFoundByHeader(uint32_t Type);
/// Returns the segments that a conversion does not split, add or drop, in
/// order.
std::vector<const Segment *> otherSegments(const LoadedImage &Image);

/// Checks that each of \p Is is at the place of \p Was, \p Moved, and that
/// wrappers share an index only if they shared code. Calls \p Different for
/// each difference.
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
  bool hasSameRights(const Segment &Was, const Segment &Is, uint64_t Address,
                     uint64_t Size) const;
  void addTables(Ranges &Result) const;
  void addHeaders(Ranges &Result) const;
  Ranges changedPlaces() const;
  void different(const llvm::Twine &Problem) {
    F.problem(Problem, "keep the original, and convert it again");
  }

  const Side &Old, &New;
  /// Maps addresses of the original to new ones.
  const Shift Moved = Shift::between(Old, New);
  Findings &F;
  uint64_t SectionBudget = Old.Image.file().size();
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_COMPAREHOST_H
