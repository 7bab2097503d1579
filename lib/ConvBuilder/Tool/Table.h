//===- Table.h - what the listing verbs print -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of text, for a terminal or for the reference manual.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_TABLE_H
#define KPACK_LIB_CONVBUILDER_TOOL_TABLE_H

#include "Command.h"

namespace kpack::conv {

struct Table {
  struct Column {
    llvm::StringRef Name;
    bool IsCode = false; ///< in the manual
  };

  std::string Title; ///< empty: none
  std::vector<Column> Columns;
  std::vector<std::vector<std::string>> Rows;
};

/// For a terminal, or with \p Markdown for the manual.
void printTables(llvm::raw_ostream &OS, llvm::ArrayRef<Table> Tables,
                 bool Markdown);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_TABLE_H
