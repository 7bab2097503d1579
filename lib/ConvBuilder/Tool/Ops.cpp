//===- Ops.cpp - conv-builder ops: list of operations ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the element-wise operations of kpack/ConvBuilder/Operations.h and
// Enums.def. Siblings: Layouts.cpp, Types.cpp.
//
//===----------------------------------------------------------------------===//
#include "Table.h"

#include "ToolSupport/Output.h"
#include "kpack/ConvBuilder/Operations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <limits>

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

static constexpr StringRef ParameterNames = "abc";

static ElementwiseOperation operationAt(size_t Index) {
  return static_cast<ElementwiseOperation>(Index);
}

/// Returns the places that requirements S5, S6 and S9 permit for an operation.
static std::vector<StringRef> getPlaces(ElementwiseOperation Op) {
  std::vector<StringRef> Places = {isQuantised(Op)       ? "integer result"
                                   : isForFloatsOnly(Op) ? "float result"
                                                         : "result"};
  if (isForOperands(Op))
    Places.push_back(isForFloatsOnly(Op) ? "float operand" : "operand");
  if (isUnary(Op))
    Places.insert(Places.end(), {"auxiliary", "activation", "chain"});
  return Places;
}

/// Returns "a = 1, b = 1"; the ends of float have names.
static std::string parameterText(ElementwiseOperation Op) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (unsigned I = 0; I < parameterCount(Op); ++I) {
    float Default = defaultParameter(Op, I);
    OS << (I ? ", " : "") << ParameterNames[I] << " = ";
    if (Default == std::numeric_limits<float>::lowest())
      OS << "lowest";
    else if (Default == std::numeric_limits<float>::max())
      OS << "largest";
    else
      OS << format("%g", double(Default));
  }
  return Text;
}

/// Returns "d0 d1".
static std::string operandText(ElementwiseOperation Op) {
  std::string Text;
  for (unsigned I = 0; I < auxiliaryCount(Op); ++I)
    Text += (I ? " d" : "d") + std::to_string(I);
  return Text;
}

static Table table() {
  Table T{"",
          {{"operation", true},
           {"computes", true},
           {"tensors", true},
           {"numbers"},
           {"may be"}},
          {}};
  for (size_t I = 0; I < EnumCount<ElementwiseOperation>; ++I) {
    ElementwiseOperation Op = operationAt(I);
    const EnumRow &Row = EnumTable<ElementwiseOperation>::Rows[I];
    bool IsForAll = isUnary(Op) && !isForFloatsOnly(Op);
    T.Rows.push_back({std::string(Row.Name), std::string(Row.Text),
                      operandText(Op), parameterText(Op),
                      IsForAll ? "anywhere" : join(getPlaces(Op), ", ")});
  }
  return T;
}

static void printAsJson(json::OStream &J) {
  J.attributeArray("operations", [&] {
    for (size_t I = 0; I < EnumCount<ElementwiseOperation>; ++I) {
      ElementwiseOperation Op = operationAt(I);
      J.object([&] {
        J.attribute("name", StringRef(nameOf(Op)));
        J.attribute("computes",
                    StringRef(EnumTable<ElementwiseOperation>::Rows[I].Text));
        J.attribute("tensors", auxiliaryCount(Op));
        J.attributeArray("numbers", [&] {
          for (unsigned P = 0; P < parameterCount(Op); ++P)
            J.object([&] {
              J.attribute("name", ParameterNames.substr(P, 1));
              J.attribute("default", double(defaultParameter(Op, P)));
            });
        });
        attributeTexts(J, "may_be", getPlaces(Op));
        J.attribute("has_activation", hasActivation(Op));
      });
    }
  });
}

const Command conv::OpsVerb = {
    {.Name = "ops",
     .Operands = "",
     .Summary = "the operations on elements: what each computes and takes",
     .Overview =
         "What can be done with each element of a tensor, by the field "
         "elementwise_operation.\n\n"
         "  x           the element\n"
         "  d0 to d4    tensors that the operation takes: "
         "auxiliary_operand_configs\n"
         "  a, b, c     numbers that are given at each call, with their "
         "defaults\n"
         "  act, chain  operations of the signature's choice: the fields of "
         "these names\n"
         "  sat         to an integer, the nearest; at the ends of its type "
         "where it is beyond\n\n"
         "Where an operation may be: a 'result' is stored with it, an "
         "'operand' "
         "loaded; an\n'integer result' only where it is I8 or U8, a 'float "
         "result' or 'float operand' only\nwhere it is no integer; 'anywhere' "
         "is all of these, on an auxiliary operand that is\nloaded, as "
         "activation and in a chain.",
     .Examples = "  $ conv-builder ops | grep RELU\n"
                 "  $ conv-builder ops --json > ops.json\n",
     .Known = OpsOption},
    [](Invocation &I) {
      showTables(I, "conv-builder.ops/1", table(), printAsJson);
    }};
