//===- LayoutPlanner.h - state while a layout is planned --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State while a layout is planned, private to Layout.cpp, which finds the parts
// and keeps all addresses, and CompactLayout.cpp, which moves those after the
// device code.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_LAYOUTPLANNER_H
#define KPACK_LIB_HOSTREWRITE_ELF_LAYOUTPLANNER_H

#include "HeaderSlot.h"
#include "Layout.h"

namespace kpack::hostrewrite {

class LayoutPlanner {
public:
  LayoutPlanner(const ElfView &View, const PointerFacts &Pointers,
                uint64_t MarkerSize)
      : View(View), Pointers(Pointers), MarkerSize(MarkerSize) {}
  llvm::Expected<ElfLayout> run();
  llvm::Expected<ElfLayout> runCompact();

private:
  llvm::Error findParts();
  llvm::Error findFatBin();
  llvm::Error checkNothingElse() const;
  llvm::Error findTail();
  uint64_t pageSize() const;
  llvm::Error place(const HeaderSlot &Slot);
  llvm::Error placeWithSlot(HeaderSlot &Slot);
  llvm::Error placeInFront(Range Moved);
  llvm::Error placeBehind();
  llvm::Error tooSmall() const;
  void dropExecute(Elf::Phdr &Part, uint64_t Begin, uint64_t End) const;
  void splitLoad();
  void makeSegments(const HeaderSlot &Slot);
  bool isLast() const;
  bool isInOrder() const;
  uint64_t compactAlignment() const;
  void makeCompactSegments();

  bool hasHead() const { return FatBin.Begin != Load.p_offset; }
  bool hasTail() const { return TailBegin != fileRange(Load).End; }
  uint64_t addressOf(uint64_t Offset) const {
    return Load.p_vaddr + (Offset - Load.p_offset);
  }

  const ElfView &View;
  const PointerFacts &Pointers;
  const uint64_t MarkerSize;

  ElfLayout Layout;
  size_t LoadIndex = 0;
  Elf::Phdr Load = {};    // holds the device code
  Range FatBin;           // in the file
  uint64_t TailBegin = 0; // the part after it in the segment
};

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_LAYOUTPLANNER_H
