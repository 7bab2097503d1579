//===- Estimates.cpp - printed candidates and terms -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Estimates.h.
//
//===----------------------------------------------------------------------===//
#include "Estimates.h"

#include "ToolSupport/Errors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

std::string conv::numberText(const Term &Of) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << format(Of.Unit == "us"      ? "%.2f"
               : Of.Unit == "share" ? "%.3f"
                                    : "%.0f",
               Of.Value);
  return Text;
}

static std::string sizes(std::initializer_list<int> Of) {
  std::string Text;
  for (int Size : Of)
    Text += (Text.empty() ? "" : "x") + std::to_string(Size);
  return Text;
}

std::string conv::shortName(const Algorithm &How) {
  if (How.kind != Kind::IMPLICIT_GEMM)
    return std::string(nameOf(How.kind)) + ", " +
           std::to_string(How.block_size) + " threads";
  std::string Text = std::string(nameOf(How.isa)) + " " +
                     sizes({How.tile->m, How.tile->n, How.tile->k});
  if (How.wave)
    Text += ", " + sizes({How.wave->waves.m, How.wave->waves.n}) +
            " waves of " +
            sizes({How.wave->instr.m, How.wave->instr.n, How.wave->instr.k});
  if (How.thread)
    Text += ", " + sizes({How.thread->m1, How.thread->n1}) + " a thread";
  Text += ", " + std::string(nameOf(How.pipeline->version));
  if (How.split && How.split->k_batch > 1)
    Text += ", " + std::to_string(How.split->k_batch) + " pieces" +
            (How.split->two_stage ? " in two stages" : "");
  return Text;
}

void conv::attributeTerms(json::OStream &J, const Estimate &E) {
  J.attributeObject("estimate", [&] {
    for (const Term &Of : termsOf(E))
      J.attribute(StringRef(Of.Name), Of.Value);
    J.attribute("limit", StringRef(nameOf(E.limit)));
  });
}

static Error missing(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), "command line: " + What);
}

static Expected<Constraints> constraintsOf(const Invocation &I) {
  Constraints Within;
  Within.deterministic = I.Args.hasArg(OPT_deterministic);
  Within.allow_reference = I.Args.hasArg(OPT_allow_reference);
  if (const opt::Arg *A = I.Args.getLastArg(OPT_workspace_EQ))
    if (StringRef(A->getValue()).getAsInteger(10, Within.workspace_limit) ||
        Within.workspace_limit < 0)
      return objectError(A->getAsString(I.Args),
                         "no number of bytes; give one, such as 67108864");
  return Within;
}

Expected<CandidateList> conv::candidatesOf(const Invocation &I) {
  CandidateList List;
  List.Processor = I.Args.getLastArgValue(OPT_arch_EQ).str();
  if (List.Processor.empty())
    return missing("no processor given; give one, such as --arch=gfx942");
  if (Error E = checkProcessor("--arch=" + List.Processor, List.Processor))
    return std::move(E);
  Expected<Question> Q = questionOf(I);
  if (!Q)
    return Q.takeError();
  if (Q->Algo != Algorithm())
    return missing("an algorithm; 'conv-builder explain' takes one, all of "
                   "them are looked for here");
  if (!Q->Sizes)
    return missing("no problem given; give one, " + I.Options.seeHelp());
  Expected<Constraints> Within = constraintsOf(I);
  if (!Within)
    return Within.takeError();
  List.Sig = resolveSignature(Q->Sig);
  List.Sizes = *Q->Sizes;
  List.Found =
      candidates(List.Sig, List.Sizes, List.Processor, *Within, &List.Refused);
  return List;
}
