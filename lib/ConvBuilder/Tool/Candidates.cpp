//===- Candidates.cpp - conv-builder candidates: ranked algorithms --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists all algorithms of a problem in the order of their estimates, and the
// reasons against others. The library finds and orders them
// (kpack/ConvBuilder/Candidates.h). Sibling: Report.cpp, the same as a page.
//
//===----------------------------------------------------------------------===//
#include "Estimates.h"
#include "Table.h"

#include "ToolSupport/Output.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

static void print(raw_ostream &OS, const CandidateList &List,
                  bool WithRefused) {
  Table T;
  for (StringRef Name : {"estimate us", "lds", "registers", "occupancy",
                         "rounds", "waste", "workspace", "algorithm"})
    T.Columns.push_back({Name});
  for (const Candidate &One : List.Found) {
    const Estimate &E = One.estimate;
    T.Rows.push_back({numberText({"", E.total, "us", ""}), itostr(E.lds),
                      itostr(E.registers), itostr(E.occupancy),
                      itostr(E.rounds),
                      numberText({"", E.tile_waste, "share", ""}),
                      itostr(One.workspace), text(One.how)});
  }
  if (!List.Found.empty())
    printTables(OS, T, false);
  if (WithRefused)
    for (const Refusal &One : List.Refused)
      OS << "refused: " << One.text() << ": " << text(One.how) << '\n';
  OS << List.Found.size() << " candidates, " << List.Refused.size()
     << " refused\n";
}

static void printRefused(json::OStream &J, ArrayRef<Refusal> Refused) {
  J.attributeArray("refused", [&] {
    for (const Refusal &One : Refused)
      J.object([&] {
        J.attribute("algorithm", text(One.how));
        J.attribute("id", One.id);
        J.attribute("path", One.path);
        J.attribute("fact", One.fact);
        J.attribute("remedy", One.remedy);
      });
  });
}

static void printAsJson(raw_ostream &OS, const CandidateList &List,
                        bool WithRefused) {
  printJson(OS, "conv-builder.candidates/1", [&](json::OStream &J) {
    J.attribute("processor", List.Processor);
    J.attribute("signature", text(List.Sig));
    J.attribute("problem", text(List.Sizes));
    J.attributeArray("candidates", [&] {
      for (const Candidate &One : List.Found)
        J.object([&] {
          J.attribute("algorithm", text(One.how));
          J.attribute("workspace", One.workspace);
          attributeTerms(J, One.estimate);
        });
    });
    J.attribute("refused_total", static_cast<int64_t>(List.Refused.size()));
    if (WithRefused)
      printRefused(J, List.Refused);
  });
}

static void run(Invocation &I) {
  Expected<CandidateList> List = getCandidates(I);
  if (!List)
    return I.S.error(List.takeError());
  bool WithRefused = I.Args.hasArg(OPT_refused);
  // An empty list is useful only with the reasons.
  WithRefused |= List->Found.empty();
  if (I.json())
    printAsJson(I.S.out(), *List, WithRefused);
  else
    print(I.S.out(), *List, WithRefused);
  if (List->Found.empty())
    I.S.setFailed();
}

const Command conv::CandidatesVerb = {
    {.Name = "candidates",
     .Operands = "--arch=<gpu> <signature> <problem>",
     .Summary = "the algorithms that can compute a problem, best first",
     .Overview =
         "Lists the algorithms that can compute a problem on a processor, the "
         "one with the lowest\nestimate first, each with nothing left open. An "
         "estimate is arithmetic of a model, not a\nmeasurement; 'conv-builder "
         "explain' has its terms. Nothing is compiled.\n\nA problem is a text, "
         "or a line for MIOpenDriver.\n\nEXIT STATUS: 0, or 1 when no "
         "algorithm can, or anything was wrong",
     .Examples =
         "  $ conv-builder candidates --arch=gfx942 "
         "'{spatial_dim=2,data_type=FP16}' 'conv -n 1 -c 64 -H 56 -W 56 -k 64 "
         "-y 3 -x 3 -p 1 -q 1'\n"
         "  $ conv-builder candidates --arch=gfx1100 --refused "
         "'{spatial_dim=1,data_type=I8}' "
         "'{c=64,k=64,image=[128],filter=[3]}'\n",
     .Known = CandidatesOption},
    run};
