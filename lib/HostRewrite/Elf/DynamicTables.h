//===- DynamicTables.h - symbol tables without sections ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the symbols, hash tables, versions and names of a file without section
// headers through its dynamic table. The hash tables determine the number of
// symbols, as they end with the last one. Those of a file without exports are
// empty; then its symbols, which are all undefined, end where the next known
// range begins. HeaderSlot.h moves these tables.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_DYNAMICTABLES_H
#define KPACK_LIB_HOSTREWRITE_ELF_DYNAMICTABLES_H

#include "ElfView.h"

namespace kpack::hostrewrite {

/// Ranges of the file.
struct DynamicTables {
  std::vector<Range> Parts;
  Range Symbols; // one of them
};

/// Returns no ranges if the number of symbols is unknown.
DynamicTables findDynamicTables(const ElfView &View);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_DYNAMICTABLES_H
