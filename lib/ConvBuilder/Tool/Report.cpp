//===- Report.cpp - conv-builder report: candidates as HTML ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the candidates of a problem as one page that loads nothing: a table
// that can be sorted, and a plot of estimates. CandidatesPage.html has places
// for a summary, for a table without a script, and for the data. Sibling:
// Candidates.cpp, the same on a terminal.
//
//===----------------------------------------------------------------------===//
#include "Estimates.h"

#include "ToolSupport/HtmlPage.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

static constexpr StringLiteral PageText =
#include "CandidatesPage.inc"
    ;

/// Returns "gfx942 (Instinct MI300X)".
static std::string processorText(const CandidateList &List) {
  const Machine *Its = findMachine(List.Processor);
  return List.Processor +
         (Its ? " (" + std::string(Its->Product) + ")" : std::string());
}

static std::string summary(const CandidateList &List) {
  std::string Out;
  auto Line = [&](StringRef Name, const std::string &Value) {
    Out += ("<p>" + Name + ": <b>" + htmlText(Value) + "</b></p>\n").str();
  };
  Line("Signature", text(List.Sig));
  Line("Problem", text(List.Sizes));
  Line("Processor", processorText(List));
  Line("Candidates", std::to_string(List.Found.size()) + "; " +
                         std::to_string(List.Refused.size()) +
                         " others are refused");
  return Out;
}

/// Returns the table for browsers without scripts: all terms of each candidate.
static std::string table(const CandidateList &List) {
  std::string Out = "<table><thead><tr><th class=\"name\">Algorithm</th>";
  for (const Term &Entry : termsOf({}))
    Out += ("<th>" + StringRef(Entry.Name) + "</th>").str();
  Out += "<th>workspace</th></tr></thead><tbody>\n";
  for (const Candidate &One : List.Found) {
    Out += "<tr><td class=\"name\">" + htmlText(text(One.how)) + "</td>";
    for (const Term &Entry : termsOf(One.estimate))
      Out += "<td>" + numberText(Entry) + "</td>";
    Out += "<td>" + std::to_string(One.workspace) + "</td></tr>\n";
  }
  return Out + "</tbody></table>";
}

static std::string data(const CandidateList &List) {
  std::string Out;
  raw_string_ostream OS(Out);
  json::OStream J(OS);
  J.object([&] {
    J.attributeArray("terms", [&] {
      for (const Term &Entry : termsOf({}))
        J.object([&] {
          J.attribute("name", StringRef(Entry.Name));
          J.attribute("unit", StringRef(Entry.Unit));
          J.attribute("text", StringRef(Entry.Text));
        });
    });
    J.attributeArray("candidates", [&] {
      for (const Candidate &One : List.Found)
        J.object([&] {
          J.attribute("name", shortName(One.how));
          J.attribute("text", text(One.how));
          bool IsGemm = One.how.kind == Kind::IMPLICIT_GEMM;
          J.attribute("group", StringRef(IsGemm ? nameOf(One.how.isa)
                                                : nameOf(One.how.kind)));
          J.attribute("workspace", One.workspace);
          J.attributeArray("values", [&] {
            for (const Term &Entry : termsOf(One.estimate))
              J.value(Entry.Value);
          });
        });
    });
  });
  return Out;
}

static Error writeReport(const Invocation &I) {
  const opt::Arg *Output = I.Args.getLastArg(OPT_output_file);
  if (!Output)
    return createStringError(inconvertibleErrorCode(),
                             "command line: no file given; give one by -o");
  Expected<CandidateList> List = getCandidates(I);
  if (!List)
    return List.takeError();
  if (List->Found.empty())
    return createStringError(
        inconvertibleErrorCode(),
        "no algorithm can compute it; 'conv-builder candidates' says why");
  HtmlPage Page(PageText);
  Page.putData(data(*List));
  Page.put("<!--rows-->", table(*List));
  Page.put("<!--summary-->", summary(*List));
  return writeOutput(Output->getValue(), std::move(Page).take());
}

const Command conv::ReportVerb = {
    {.Name = "report",
     .Operands = "--arch=<gpu> -o <file> <signature> <problem>",
     .Summary = "the candidates of a problem as a page",
     .Overview =
         "Writes what 'conv-builder candidates' lists as one HTML page that "
         "loads nothing: a table\nthat can be sorted, and a plot of estimates "
         "against LDS, registers and occupancy. An\nestimate is arithmetic of "
         "a model, not a measurement",
     .Examples =
         "  $ conv-builder report --arch=gfx942 -o conv.html "
         "'{spatial_dim=2,data_type=FP16}' 'conv -n 1 -c 64 -H 56 -W 56 -k 64 "
         "-y 3 -x 3 -p 1 -q 1'\n",
     .Known = ReportOption},
    [](Invocation &I) { I.S.error(writeReport(I)); }};
