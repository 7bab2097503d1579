//===- Estimates.cpp - printed estimates of candidates --------------------===//
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

std::string conv::numberText(const Term &Entry) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << format(Entry.Unit == "us"      ? "%.2f"
               : Entry.Unit == "share" ? "%.3f"
                                       : "%.0f",
               Entry.Value);
  return Text;
}

static std::string sizes(std::initializer_list<int> Sizes) {
  std::string Text;
  for (int Size : Sizes)
    Text += (Text.empty() ? "" : "x") + std::to_string(Size);
  return Text;
}

std::string conv::shortName(const Algorithm &Algo) {
  if (Algo.kind != Kind::IMPLICIT_GEMM)
    return std::string(nameOf(Algo.kind)) + ", " +
           std::to_string(Algo.block_size) + " threads";
  std::string Text = std::string(nameOf(Algo.isa)) + " " +
                     sizes({Algo.tile->m, Algo.tile->n, Algo.tile->k});
  if (Algo.wave)
    Text += ", " + sizes({Algo.wave->waves.m, Algo.wave->waves.n}) +
            " waves of " +
            sizes({Algo.wave->instr.m, Algo.wave->instr.n, Algo.wave->instr.k});
  if (Algo.thread)
    Text += ", " + sizes({Algo.thread->m1, Algo.thread->n1}) + " a thread";
  Text += ", " + std::string(nameOf(Algo.pipeline->version));
  if (Algo.split && Algo.split->k_batch > 1)
    Text += ", " + std::to_string(Algo.split->k_batch) + " pieces" +
            (Algo.split->two_stage ? " in two stages" : "");
  return Text;
}

void conv::attributeTerms(json::OStream &J, const Estimate &E) {
  J.attributeObject("estimate", [&] {
    for (const Term &Entry : termsOf(E))
      J.attribute(StringRef(Entry.Name), Entry.Value);
    J.attribute("limit", StringRef(nameOf(E.limit)));
  });
}

static Error missing(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(),
                           "command line: " + Message);
}

static Expected<Constraints> parseConstraints(const Invocation &I) {
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

Expected<CandidateList> conv::getCandidates(const Invocation &I) {
  CandidateList List;
  List.Processor = I.Args.getLastArgValue(OPT_arch_EQ).str();
  if (List.Processor.empty())
    return missing("no processor given; give one, such as --arch=gfx942");
  if (Error E = checkProcessor("--arch=" + List.Processor, List.Processor))
    return std::move(E);
  Expected<Question> Q = makeQuestion(I);
  if (!Q)
    return Q.takeError();
  if (Q->Algo != Algorithm())
    return missing("an algorithm; 'conv-builder explain' takes one, all of "
                   "them are looked for here");
  if (!Q->Sizes)
    return missing("no problem given; give one, " + I.Options.seeHelp());
  Expected<Constraints> Within = parseConstraints(I);
  if (!Within)
    return Within.takeError();
  List.Sig = resolveSignature(Q->Sig);
  List.Sizes = *Q->Sizes;
  List.Found =
      candidates(List.Sig, List.Sizes, List.Processor, *Within, &List.Refused);
  return List;
}
