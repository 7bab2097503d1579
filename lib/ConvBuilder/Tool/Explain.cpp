//===- Explain.cpp - conv-builder explain: choices, checks, cost ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explains a signature and an algorithm on a processor before anything is
// compiled: the fields that are filled in, the requirements that fail, the
// resources of the kernel. The library computes all of it
// (kpack/ConvBuilder/ResolveAlgorithm.h, Resources.h).
//
//===----------------------------------------------------------------------===//
#include "Estimates.h"
#include "PrintFindings.h"

#include "ToolSupport/Output.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

namespace {

/// A number of the kernel and its limit.
struct Need {
  StringRef Name;
  long long Value;
  long long Most; ///< 0: no limit
  StringRef Unit;
};

} // namespace

/// Returns nothing without a processor, whose wave size the numbers depend on.
static std::vector<Need> computeNeeds(const Question &Q, const Processor *Gpu,
                                      const Resolved &R) {
  std::vector<Need> Needs;
  if (!Gpu || !R.ok())
    return Needs;
  Needs.push_back({"threads", R.Algo.block_size, 1024, "threads"});
  if (R.Algo.kind == Kind::IMPLICIT_GEMM) {
    Registers Used = registersOf(R.Sig, R.Algo, Gpu->WaveSize);
    Needs.push_back(
        {"lds", ldsOf(R.Sig, R.Algo).total(), Gpu->LdsBytes, "bytes"});
    Needs.push_back({"registers", Used.total(), mostRegisters(*Gpu, R.Algo.isa),
                     "registers of a lane, by a model"});
    Needs.push_back({"sums", Used.Accumulators, 0, "of these registers"});
  }
  if (Q.Sizes) {
    Needs.push_back({"work-groups", workGroupsOf(R.Sig, R.Algo, *Q.Sizes, Gpu),
                     0, "work-groups"});
    Needs.push_back(
        {"workspace", workspaceOf(R.Sig, R.Algo, *Q.Sizes, Gpu), 0, "bytes"});
  }
  return Needs;
}

/// Returns nullopt without a kernel or a problem.
static std::optional<Estimate>
computeEstimate(const Question &Q, const Processor *Gpu, const Resolved &R) {
  if (!Gpu || !R.ok() || !Q.Sizes || !lower(R.Sig, R.Algo, Gpu->Name))
    return std::nullopt;
  return estimate(R.Sig, R.Algo, *Q.Sizes, *Gpu);
}

static void printTerms(raw_ostream &OS, const Estimate &E) {
  for (const Term &Entry : termsOf(E))
    OS << "estimate: " << StringRef(Entry.Name) << " = " << numberText(Entry)
       << ' ' << StringRef(Entry.Unit) << ", " << StringRef(Entry.Text) << '\n';
  OS << "estimate: occupancy is limited by " << StringRef(nameOf(E.limit))
     << '\n';
}

static void print(raw_ostream &OS, const Question &Q, const Processor *Gpu,
                  const Resolved &R) {
  OS << "signature: " << text(R.Sig) << "\nalgorithm: " << text(R.Algo) << '\n';
  for (const Difference &One : diff(Q.Algo, R.Algo))
    OS << "  chosen: " << One.Path << " = " << One.New << '\n';
  for (const Need &N : computeNeeds(Q, Gpu, R)) {
    OS << N.Name << ": " << N.Value;
    if (N.Most)
      OS << " of " << N.Most;
    OS << ' ' << N.Unit << '\n';
  }
  if (std::optional<Estimate> E = computeEstimate(Q, Gpu, R))
    printTerms(OS, *E);
  if (R.ok())
    OS << "requirements: all hold\n";
  printFindings(OS, R.Why);
}

static void printAsJson(raw_ostream &OS, const Question &Q,
                        const Processor *Gpu, const Resolved &R) {
  printJson(OS, "conv-builder.explain/1", [&](json::OStream &J) {
    J.attribute("ok", R.ok());
    J.attribute("signature", text(R.Sig));
    J.attribute("algorithm", text(R.Algo));
    J.attributeArray("chosen", [&] {
      for (const Difference &One : diff(Q.Algo, R.Algo))
        J.object([&] {
          J.attribute("path", One.Path);
          J.attribute("value", One.New);
        });
    });
    J.attributeObject("needs", [&] {
      for (const Need &N : computeNeeds(Q, Gpu, R))
        J.attributeObject(N.Name, [&] {
          J.attribute("value", N.Value);
          if (N.Most)
            J.attribute("limit", N.Most);
        });
    });
    if (std::optional<Estimate> E = computeEstimate(Q, Gpu, R))
      attributeTerms(J, *E);
    printFindings(J, R.Why);
  });
}

static void run(Invocation &I) {
  StringRef Name = I.Args.getLastArgValue(OPT_arch_EQ);
  if (I.Args.hasArg(OPT_arch_EQ))
    if (Error E = checkProcessor("--arch=" + Name, Name))
      return I.S.error(std::move(E));
  Expected<Question> Q = makeQuestion(I);
  if (!Q)
    return I.S.error(Q.takeError());
  Resolved R = answerTo(*Q, Name);
  const Processor *Gpu = findProcessor(Target(std::string_view(Name)));
  if (I.json())
    printAsJson(I.S.out(), *Q, Gpu, R);
  else
    print(I.S.out(), *Q, Gpu, R);
  if (!R.ok())
    I.S.setFailed();
}

const Command conv::ExplainVerb = {
    {.Name = "explain",
     .Operands = "<signature> [<algorithm>] [<problem>]",
     .Summary = "what is chosen, what a kernel needs, what does not hold",
     .Overview =
         "Fills in what a signature and an algorithm leave open, and says what "
         "was chosen, which\nrequirements do not hold, and what the kernel "
         "will need. Nothing is compiled.\n\nWithout --arch= nothing is "
         "chosen: what is given is checked alone. An algorithm that is\nleft "
         "out is '{}'. A problem is a text, or a line for MIOpenDriver. "
         "Registers are those\nof a model; the compiler may need more. An "
         "estimate is that of a model, too, and no\nmeasurement.\n\nEXIT "
         "STATUS: 0, or 1 when a requirement does not hold, or anything was "
         "wrong",
     .Examples =
         "  $ conv-builder explain --arch=gfx942 "
         "'{spatial_dim=2,data_type=FP16}'\n"
         "  $ conv-builder explain --arch=gfx1100 "
         "'{spatial_dim=2,data_type=FP16}' '{isa=MFMA}'\n"
         "  $ conv-builder explain --arch=gfx90a "
         "'{spatial_dim=2,data_type=FP32}' 'conv -n 1 -c 64 -H 56 -W 56 -k 64 "
         "-y 3 -x 3 -p 1 -q 1'\n",
     .Known = ExplainOption},
    run};
