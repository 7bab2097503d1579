//===- Table.h - text tables of the listing verbs ---------------*- C++ -*-===//
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

#include "ConvVerb.h"
#include "llvm/Support/JSON.h"

namespace kpack::conv {

struct Table {
  struct Column {
    llvm::StringRef Name;
    bool IsCode = false; ///< as code in the manual
  };

  std::string Title; ///< may be empty
  std::vector<Column> Columns;
  std::vector<std::vector<std::string>> Rows;
};

/// Runs a verb without operands: prints \p Tables. With --json, \p Print prints
/// the same with the schema \p Schema.
void showTables(Invocation &I, llvm::StringRef Schema,
                llvm::ArrayRef<Table> Tables,
                void (*Print)(llvm::json::OStream &J));

/// Prints for a terminal, or with \p Markdown for the manual.
void printTables(llvm::raw_ostream &OS, llvm::ArrayRef<Table> Tables,
                 bool Markdown);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_TABLE_H
