//===- HeaderSlot.h - space for another program header ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment whose middle is dropped becomes two, and the table of program
// headers has to stay in place: GNU strip and objcopy write it after the ELF
// header and ignore e_phoff, and EL8 kernels start programs with a wrong
// AT_PHDR if it is elsewhere. So the parts right after the table make room:
// notes, the interpreter's name, hash tables. Only headers and the dynamic
// table refer to them, and they move into the freed space.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_HEADERSLOT_H
#define KPACK_LIB_HOSTREWRITE_ELF_HEADERSLOT_H

#include "ElfView.h"
#include "WrapperSites.h"

namespace kpack::hostrewrite {

struct HeaderSlot {
  /// The index of a PT_NULL header to use.
  std::optional<size_t> Unused;
  /// The range of the file after the table that has to move, or empty if the
  /// table has room.
  Range Moved;
};

/// Fails if the parts after the table cannot be moved.
llvm::Expected<HeaderSlot> findHeaderSlot(const ElfView &View,
                                          const PointerFacts &Pointers);

/// True for tags whose values are addresses of parts that may move.
bool pointsToMovable(int64_t DynamicTag);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_HEADERSLOT_H
