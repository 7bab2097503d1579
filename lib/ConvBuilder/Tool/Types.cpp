//===- Types.cpp - conv-builder types: list of element types --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the types of elements. Siblings: Ops.cpp, Layouts.cpp.
//
//===----------------------------------------------------------------------===//
#include "Table.h"

#include "kpack/ConvBuilder/Enums.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

static Table table() {
  Table T{"", {{"type", true}, {"meaning"}}, {}};
  for (const EnumRow &Row : EnumTable<DataType>::Rows)
    T.Rows.push_back({std::string(Row.Name), std::string(Row.Text)});
  return T;
}

static void printAsJson(json::OStream &J) {
  J.attributeArray("types", [&] {
    for (const EnumRow &Row : EnumTable<DataType>::Rows)
      J.object([&] {
        J.attribute("name", StringRef(Row.Name));
        J.attribute("text", StringRef(Row.Text));
      });
  });
}

const Command conv::TypesVerb = {
    {.Name = "types",
     .Operands = "",
     .Summary = "the types of elements",
     .Overview = "Types of tensors, sums and auxiliary operands, by the fields "
                 "data_type, compute_type\nand accumulation_data_type.",
     .Examples = "  $ conv-builder types\n"
                 "  $ conv-builder types --json > types.json\n",
     .Known = TypesOption},
    [](Invocation &I) {
      showTables(I, "conv-builder.types/1", table(), printAsJson);
    }};
