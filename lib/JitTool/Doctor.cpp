//===- Doctor.cpp - ck-jit cache doctor: checks of a setup ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs all checks (DoctorChecks.h) and prints their findings.
//
//===----------------------------------------------------------------------===//
#include "DoctorChecks.h"

#include "Units.h"

#include "ToolSupport/Terminal.h"
#include "llvm/ADT/STLExtras.h"

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;

static void printText(raw_ostream &OS, const Findings &All) {
  bool Colored = wantsColor(OS);
  OS.enable_colors(Colored);
  for (const Finding &F : All.all()) {
    if (Colored)
      OS.changeColor(F.Level == "ok"        ? raw_ostream::GREEN
                     : F.Level == "warning" ? raw_ostream::YELLOW
                                            : raw_ostream::RED,
                     /*Bold=*/true);
    OS << left_justify(F.Level, 8);
    if (Colored)
      OS.resetColor();
    OS << left_justify(F.Topic, 14) << printable(F.Text) << '\n';
  }
}

static void printJson(const CacheInvocation &I, const Place &Where,
                      const Findings &All, bool Good) {
  I.printJson("doctor", Where.Directory, [&](json::OStream &J) {
    J.attribute("ok", Good);
    J.attributeArray("findings", [&] {
      for (const Finding &F : All.all())
        J.object([&] {
          J.attribute("level", F.Level);
          J.attribute("topic", F.Topic);
          J.attribute("text", jsonText(F.Text));
        });
    });
  });
}

static void runDoctor(CacheInvocation &I) {
  if (!I.operands().empty())
    return I.S.error(I.operands().front() + ": doctor takes no operand; " +
                     I.Options.seeHelp());
  Place Where = placeOf(I);
  Findings All(I.Door);
  checkDirectory(All, Where);
  checkEntries(All, Where);
  checkLeftovers(All, Where);
  checkSystemCaches(All, I);
  checkRemote(All, I, Where);
  checkMode(All, I);
  checkSources(All, I);
  std::string Target = checkTarget(All, I);
  checkHelper(All, I);
  checkCompiler(All, I);
  checkTrial(All, I, Target);
  auto Errors =
      count_if(All.all(), [](const Finding &F) { return F.Level == "error"; });
  if (I.json())
    printJson(I, Where, All, Errors == 0);
  else
    printText(I.S.out(), All);
  if (Errors)
    I.S.error("doctor: found " + showCount(uint64_t(Errors), "error") +
              "; each line above says how to mend it");
}

const CacheVerb jittool::DoctorVerb = {
    {"doctor", "", "check everything that may be wrong, and say how to mend it",
     "check everything that may be wrong, and say how to mend it\n\n"
     "The directory (owner, mode, space, file system, locks), its entries and "
     "leftovers,\nthe environment, the manifest, GPU, compiler and helper, and "
     "a "
     "trial: a function of\nthree lines is compiled, cached, found again, "
     "loaded "
     "and called;\na kernel is compiled for the GPU, or for --target. The "
     "cache "
     "itself is not changed.\nExit status 1 if there is an error; warnings do "
     "not count.",
     "  $ ck-jit cache doctor\n"
     "  $ ck-jit cache doctor --json | jq '.findings[] | select(.level != "
     "\"ok\")'\n",
     DoctorOption},
    runDoctor};
