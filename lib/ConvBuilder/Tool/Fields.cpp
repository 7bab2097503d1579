//===- Fields.cpp - conv-builder fields: list of fields -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the list of fields (kpack/ConvBuilder/FieldTable.h): a table for each
// struct, then the enumerations that have no separate verb.
//
//===----------------------------------------------------------------------===//
#include "Table.h"

#include "kpack/ConvBuilder/FieldTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

/// Joins all tables into one.
static FieldTable allFields() {
  FieldTable All = FieldTable::ofSignature();
  for (const FieldTable &More :
       {FieldTable::ofAlgorithm(), FieldTable::ofProblem()}) {
    append_range(All.Structs, More.Structs);
    append_range(All.Enums, More.Enums);
  }
  return All;
}

/// True for the enumerations of the verbs ops, layouts and types.
static bool hasVerb(const EnumFacts &Enum) {
  return Enum.Type == EnumTable<ElementwiseOperation>::Type ||
         Enum.Type == EnumTable<TensorLayout>::Type ||
         Enum.Type == EnumTable<DataType>::Type;
}

/// Returns "MNK", "up to 4: ElementwiseOperation", "0 to 1024 threads" or
/// "number of elements".
static std::string typeText(const FieldFacts &F) {
  std::string Text(F.Type);
  if (F.IsNumber) {
    std::string_view Counted = nameOf(F.Of.In);
    bool IsBounded = F.Of.Max != Field{}.Max;
    Text = IsBounded
               ? std::to_string(F.Of.Min) + " to " + std::to_string(F.Of.Max)
               : "number";
    if (!Counted.empty())
      Text += (IsBounded ? " " : " of ") + std::string(Counted);
  }
  if (F.Capacity)
    Text = "up to " + std::to_string(F.Capacity) + ": " + Text;
  return Text;
}

static std::vector<Table> tables() {
  std::vector<Table> All;
  FieldTable Fields = allFields();
  for (const StructFacts &Struct : Fields.Structs) {
    Table T{
        std::string(Struct.Name),
        {{"field", true}, {"type"}, {"default", true}, {"class"}, {"meaning"}},
        {}};
    for (const FieldFacts &F : Struct.Fields)
      T.Rows.push_back({std::string(F.Of.Name), typeText(F), F.Default,
                        std::string(nameOf(F.Of.Class)),
                        std::string(F.Of.Text)});
    All.push_back(std::move(T));
  }
  for (const EnumFacts &Enum : Fields.Enums) {
    if (hasVerb(Enum))
      continue;
    Table T{std::string(Enum.Name), {{"value", true}, {"meaning"}}, {}};
    for (const EnumRow &Row : Enum.Rows)
      T.Rows.push_back({std::string(Row.Name), std::string(Row.Text)});
    All.push_back(std::move(T));
  }
  return All;
}

static void printAsJson(json::OStream &J) {
  FieldTable Fields = allFields();
  J.attributeArray("structs", [&] {
    for (const StructFacts &Struct : Fields.Structs)
      J.object([&] {
        J.attribute("name", StringRef(Struct.Name));
        J.attributeArray("fields", [&] {
          for (const FieldFacts &F : Struct.Fields)
            J.object([&] {
              J.attribute("name", StringRef(F.Of.Name));
              J.attribute("type", StringRef(F.Type));
              if (F.IsNumber) {
                J.attribute("min", F.Of.Min);
                J.attribute("max", F.Of.Max);
                J.attribute("unit", StringRef(nameOf(F.Of.In)));
              }
              J.attribute("may_be_absent", F.IsPart);
              if (F.Capacity)
                J.attribute("most", F.Capacity);
              J.attribute("default", F.Default);
              J.attribute("class", StringRef(nameOf(F.Of.Class)));
              J.attribute("text", StringRef(F.Of.Text));
            });
        });
      });
  });
  J.attributeArray("enumerations", [&] {
    for (const EnumFacts &Enum : Fields.Enums)
      J.object([&] {
        J.attribute("name", StringRef(Enum.Name));
        J.attributeArray("values", [&] {
          for (const EnumRow &Row : Enum.Rows)
            J.object([&] {
              J.attribute("name", StringRef(Row.Name));
              J.attribute("text", StringRef(Row.Text));
            });
        });
      });
  });
}

const Command conv::FieldsVerb = {
    {.Name = "fields",
     .Operands = "",
     .Summary = "the fields of signatures and algorithms, and their values",
     .Overview =
         "A table for each struct, the outermost first, then the values that "
         "fields can have.\n\nDefault: 'absent' is a part that may be left "
         "out; "
         "a struct without one is always there,\nwith the defaults of its "
         "fields. A number that is 0 is not given;\none whose bounds are not "
         "named is at most 1048576. Class:\n\n"
         "  meaning  says what is computed\n"
         "  kernel   makes another kernel, with the same result\n"
         "  hint     is checked and shown, and makes no other kernel",
     .Examples = "  $ conv-builder fields | less\n"
                 "  $ conv-builder fields --json > fields.json\n",
     .Known = FieldsOption},
    [](Invocation &I) {
      showTables(I, "conv-builder.fields/1", tables(), printAsJson);
    }};
