//===- Verify.cpp - kpack verify: checks of any file ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distinguishes archives and binaries, runs their checks (VerifyArchive.cpp,
// VerifyBinary.cpp, VerifyTree.cpp), and prints every problem.
//
//===----------------------------------------------------------------------===//
#include "Tool/Verify/Verify.h"
#include "Offload/Registration.h"
#include "Support/UnpackLimit.h"
#include "Tool/Command.h"
#include "Tool/FolderWalk.h"
#include "Tool/HostBinary.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Output.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

static VerifyReport verifyFile(StringRef Path, const VerifyScope &Scope) {
  VerifyReport Report;
  Report.Path = Path.str();
  Report.Kind = "unknown";
  // A pipe may never end, and a device has no end.
  if (sys::fs::exists(Path) && !sys::fs::is_regular_file(Path)) {
    Report.problem(Path +
                   ": not a regular file; give archives, binaries or folders");
    return Report;
  }
  std::error_code EC;
  std::string Magic = readMagic(Path, EC);
  if (looksLikeArchive(Path, Magic))
    return verifyArchive(Path, UnpackedAlone);
  if (looksLinked(Magic) || mayBeReference(Magic))
    return verifyBinary(Path, Scope, Scope.Original);
  Report.problem(Path + ": " +
                 (EC ? EC.message() + "; give a file that can be read"
                     : "neither a kpack archive nor an ELF file; give "
                       "archives, binaries or folders"));
  return Report;
}

static void printJson(json::OStream &J, const VerifyReport &Report) {
  J.object([&] {
    J.attribute("path", jsonText(Report.Path));
    J.attribute("kind", Report.Kind);
    J.attribute("ok", Report.Problems.empty());
    attributeTexts(J, "problems", Report.Problems);
    attributeTexts(J, "notes", Report.Notes);
  });
}

bool tool::hasHipCode(const std::string &Path) {
  Expected<HostBinary> Binary = readHostBinary(Path);
  if (!Binary) // an object, a core, another machine
    return consumeError(Binary.takeError()), false;
  return !Binary->Linked.Wrappers.empty() ||
         !Binary->Linked.MarkerBytes.empty() || Binary->IsReference;
}

std::string tool::unregisteredKernels(const HostBinary &Binary) {
  if (!offload::launchesUnregistered(Binary.File->getBuffer()))
    return "";
  return Binary.Path + ": launches kernels and registers none, so their device "
                       "code is missing; compile it with "
                       "--no-offload-new-driver or link it with "
                       "--offload-link, by ld.kpack";
}

/// True if a program or library of a folder has anything to verify.
static bool isToVerify(const std::string &Path) {
  if (hasHipCode(Path))
    return true;
  Expected<HostBinary> Binary = readHostBinary(Path);
  if (!Binary)
    return consumeError(Binary.takeError()), false;
  return !unregisteredKernels(*Binary).empty();
}

std::vector<std::string>
tool::findHipFiles(StringRef Root, std::vector<std::string> &Problems) {
  std::vector<std::string> Found;
  std::vector<std::string> Closed =
      forEachFile(Root, [&](const std::string &Path, StringRef Magic) {
        // A file that cannot be read may have device code.
        std::error_code EC;
        if (looksLikeArchive(Path, Magic) ||
            ((looksLinked(Magic) || mayBeReference(Magic)) &&
             isToVerify(Path)) ||
            (Magic.empty() && readMagic(Path, EC).empty() && EC))
          Found.push_back(Path);
      });
  append_range(Problems, Closed);
  if (Found.empty() && Closed.empty())
    Problems.push_back((Root + ": no archive and no binary with HIP code in "
                               "this folder; give the folder of a program")
                           .str());
  sort(Found);
  return Found;
}

/// Reads --expect-arch=.
static Error readExpected(const InputArgList &Args, VerifyScope &Scope) {
  for (const std::string &List : Args.getAllArgValues(OPT_expect_arch_EQ)) {
    SmallVector<StringRef> Names;
    StringRef(List).split(Names, ',');
    for (StringRef Name : Names) {
      if (!isCodeTarget(std::string_view(Name)))
        return objectError("--expect-arch=" + List,
                           "'" + Name +
                               "' is no target id; give names such as gfx1100 "
                               "or gfx90a:xnack-");
      Scope.Expected.push_back(Name.str());
    }
  }
  return Error::success();
}

static Expected<VerifyScope> parseScope(const InputArgList &Args) {
  VerifyScope Scope;
  Scope.Original = Args.getLastArgValue(OPT_against_EQ).str();
  std::vector<std::string> Operands = Args.getAllArgValues(OPT_INPUT);
  if (sys::fs::is_directory(Scope.Original)) {
    if (Operands.size() != 1 || !sys::fs::is_directory(Operands.front()))
      return objectError("--against=" + Scope.Original,
                         "is a folder; give the one that was packed of it");
  } else if (!Scope.Original.empty() &&
             (Operands.size() != 1 || sys::fs::is_directory(Operands.front())))
    return objectError("--against=" + Scope.Original,
                       "is the original of one binary; give that one alone");
  if (Error E =
          parseTargetScope(Args).moveInto(static_cast<TargetScope &>(Scope)))
    return std::move(E);
  if (Error E = readExpected(Args, Scope))
    return std::move(E);
  return Scope;
}

/// Reports problems and notes, or success.
static void tell(Session &S, const VerifyReport &Report, bool Json) {
  for (const std::string &Problem : Report.Problems)
    S.error(Problem);
  for (const std::string &Note : Report.Notes)
    S.note(Note);
  if (Report.Problems.empty() && !Json)
    S.out() << printable(Report.Path) << ": ok: " << Report.Summary << '\n';
}

static void addFiles(json::OStream &J, ArrayRef<VerifyReport> Reports) {
  J.attributeArray("files", [&] {
    for (const VerifyReport &Report : Reports)
      printJson(J, Report);
  });
}

static void printTree(json::OStream &J, StringRef Packed, StringRef Original,
                      const TreeVerdict &Sum) {
  addFiles(J, Sum.Files);
  J.attributeObject("tree", [&] {
    J.attribute("path", jsonText(Packed));
    J.attribute("original", jsonText(Original));
    J.attribute("ok", Sum.problemCount() == 0);
    J.attribute("entries", Sum.Entries);
    J.attribute("same", Sum.Same);
    J.attribute("converted", Sum.Converted);
    J.attribute("packed", Sum.Packed);
    J.attribute("left_out", Sum.LeftOut);
    J.attribute("archives", Sum.Archives);
    J.attribute("added", Sum.Added);
    attributeTexts(J, "targets_left_out", Sum.TargetsLeftOut);
  });
}

static void runTree(Session &S, const std::string &Packed,
                    const VerifyScope &Scope, bool Json) {
  Expected<TreeVerdict> Sum = verifyTree(Packed, Scope);
  if (!Sum)
    return S.error(Sum.takeError());
  for (const VerifyReport &Report : Sum->Files)
    tell(S, Report, Json);
  if (Json)
    return kpack::printJson(S.out(), "kpack.verify/1", [&](json::OStream &J) {
      printTree(J, Packed, Scope.Original, *Sum);
    });
  size_t Problems = Sum->problemCount();
  S.out() << printable(Packed) << ": "
          << (Problems == 0 ? "ok" : counted(Problems, "problem")) << ": "
          << Sum->describe() << '\n';
}

static void runVerify(Invocation &I) {
  bool Json = I.json();
  Expected<VerifyScope> Scope = parseScope(I.Args);
  if (!Scope)
    return I.S.error(Scope.takeError());
  for (const std::string &Note : unknownGpuNotes("--gpu=", Scope->Gpus))
    I.S.note(Note);
  for (const std::string &Note :
       unknownGpuNotes("--expect-arch=", Scope->Expected))
    I.S.note(Note);
  if (sys::fs::is_directory(Scope->Original))
    return runTree(I.S, I.Args.getLastArgValue(OPT_INPUT).str(), *Scope, Json);
  std::vector<std::string> Paths, Problems;
  for (const std::string &Path : getInputs(I, "archive, binary or folder")) {
    if (sys::fs::is_directory(Path))
      append_range(Paths, findHipFiles(Path, Problems));
    else
      Paths.push_back(Path);
  }
  for (const std::string &Problem : Problems)
    I.S.error(Problem);
  std::vector<VerifyReport> Reports;
  for (const std::string &Path : Paths) {
    VerifyReport Report = verifyFile(Path, *Scope);
    tell(I.S, Report, Json);
    Reports.push_back(std::move(Report));
  }
  if (!Json || Reports.empty())
    return;
  kpack::printJson(I.S.out(), "kpack.verify/1",
                   [&](json::OStream &J) { addFiles(J, Reports); });
}

const Command tool::VerifyCommand = {
    {"verify", "<archive, binary or folder>...",
     "check archives, and binaries against their archives",
     "check archives, and binaries against their archives\n\n"
     "Of an archive, every code object is read and compared with the table of "
     "contents.\nOf a binary, marker and wrappers are checked, the archives "
     "are "
     "looked for along\nits search paths, and every wrapper must have the code "
     "objects that it was built\nfor, or those of --arch= and --gpu=. One that "
     "launches kernels must register some.\nOf a folder, every archive and "
     "every binary with HIP code is checked. All\nproblems are listed; the "
     "exit code is 1 when there is one.",
     "  $ kpack verify app .kpack/*.kpack\n"
     "  $ kpack verify --gpu=gfx90a:sramecc+:xnack- /opt/app\n"
     "  $ kpack verify --against=libfoo.so.fat libfoo.so\n"
     "  $ kpack verify --against=dist packed\n"
     "  $ kpack verify --json app | jq -r '.files[].problems[]'\n",
     VerifyOption},
    runVerify};
