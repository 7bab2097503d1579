//===- HeaderSlot.h - room for one more program header ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment whose middle is dropped becomes two, and the table of program
// headers has to stay where it is: GNU strip and objcopy write it after the
// ELF header whatever e_phoff says, and kernels of EL8 start programs with a
// wrong AT_PHDR when it is elsewhere. So what stands right after the table
// makes room: notes, the interpreter's name, hash tables. Only headers and the
// dynamic table lead to them, and they move into the space that is freed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_HEADERSLOT_H
#define KPACK_LIB_HOSTREWRITE_ELF_HEADERSLOT_H

#include "ElfView.h"
#include "WrapperSites.h"

namespace kpack::hostrewrite {

struct HeaderSlot {
  /// The index of a PT_NULL header that is taken.
  std::optional<size_t> Unused;
  /// The range of the file that follows the table and has to make room; empty
  /// where there is room already.
  Range Moved;
};

/// Errors: what stands after the table cannot be moved.
llvm::Expected<HeaderSlot> findHeaderSlot(const ElfView &View,
                                          const PointerFacts &Pointers);

/// Dynamic tags whose values are addresses of what may be moved.
bool pointsToMovable(int64_t DynamicTag);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_HEADERSLOT_H
