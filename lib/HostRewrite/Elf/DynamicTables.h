//===- DynamicTables.h - tables that no section header names ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file without section headers has a dynamic table all the same: symbols,
// their hash tables, versions and names are where it says, and how long they
// are follows from the hash tables, which end with the last symbol. In those of
// a file that exports nothing there is none; then its symbols, which all are of
// other files, end where the next thing begins. HeaderSlot.h moves them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_DYNAMICTABLES_H
#define KPACK_LIB_HOSTREWRITE_ELF_DYNAMICTABLES_H

#include "ElfView.h"

namespace kpack::hostrewrite {

/// Parts of the file.
struct DynamicTables {
  std::vector<Range> Parts;
  Range Symbols; // one of them
};

/// Nothing where it is not known how many symbols there are.
DynamicTables findDynamicTables(const ElfView &View);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_DYNAMICTABLES_H
