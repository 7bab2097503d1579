//===- Layouts.cpp - conv-builder layouts: list of layouts ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the layouts and the meaning of their names
// (kpack/ConvBuilder/Layouts.h). Siblings: Ops.cpp, Types.cpp.
//
//===----------------------------------------------------------------------===//
#include "Table.h"

#include "kpack/ConvBuilder/Layouts.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

static Table table() {
  Table T{"",
          {{"layout", true},
           {"tensor"},
           {"dimensions"},
           {"slowest to fastest", true},
           {"meaning"}},
          {}};
  for (size_t I = 0; I < EnumCount<TensorLayout>; ++I) {
    const LayoutFacts &Facts = factsOf(static_cast<TensorLayout>(I));
    const EnumRow &Row = EnumTable<TensorLayout>::Rows[I];
    T.Rows.push_back(
        {std::string(Row.Name),
         Facts.Of == Role::None ? "any" : std::string(nameOf(Facts.Of)),
         Facts.SpatialDim ? std::to_string(Facts.SpatialDim) : "any",
         Facts.Strided ? "" : std::string(Facts.order()),
         std::string(Row.Text)});
  }
  return T;
}

static void printAsJson(json::OStream &J) {
  J.attributeArray("layouts", [&] {
    for (size_t I = 0; I < EnumCount<TensorLayout>; ++I) {
      const LayoutFacts &Facts = factsOf(static_cast<TensorLayout>(I));
      J.object([&] {
        J.attribute("name", StringRef(EnumTable<TensorLayout>::Rows[I].Name));
        J.attribute("role", StringRef(nameOf(Facts.Of)));
        J.attribute("spatial_dim", Facts.SpatialDim);
        J.attribute("dimensions", StringRef(Facts.order()));
        J.attribute("strided", Facts.Strided);
        J.attribute("text", StringRef(EnumTable<TensorLayout>::Rows[I].Text));
      });
    }
  });
}

const Command conv::LayoutsVerb = {
    {.Name = "layouts",
     .Operands = "",
     .Summary = "the layouts of tensors: the order of dimensions in memory",
     .Overview =
         "How a tensor may be in memory, by the field layout. The letters of a "
         "name are the\ndimensions, the slowest first:\n\n"
         "  G        groups of the convolution\n"
         "  N        images of the batch\n"
         "  C, K     input and output channels of a group\n"
         "  D, H, W  depth, height and width of an image\n"
         "  Z, Y, X  those of the filter\n\n"
         "A '_strided' layout has its strides in the arguments of each call.",
     .Examples = "  $ conv-builder layouts | grep input\n"
                 "  $ conv-builder layouts --json > layouts.json\n",
     .Known = LayoutsOption},
    [](Invocation &I) {
      showTables(I, "conv-builder.layouts/1", table(), printAsJson);
    }};
