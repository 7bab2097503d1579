//===- Verify.cpp - kpack verify ------------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells archives from binaries, runs the check, prints every problem. The
// checks: VerifyArchive.cpp and VerifyBinary.cpp.
//
//===----------------------------------------------------------------------===//
#include "Verify.h"
#include "Command.h"
#include "HostBinary.h"
#include "kpack/Support/TargetId.h"
#include "kpack/ToolSupport/Errors.h"
#include "kpack/ToolSupport/Output.h"
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
  // A pipe may never have an end, and a device has none.
  if (sys::fs::exists(Path) && !sys::fs::is_regular_file(Path)) {
    Report.problem(Path + ": not a regular file; give archives and binaries");
    return Report;
  }
  std::error_code EC;
  std::string Magic = magicOf(Path, EC);
  // A file by the name of an archive is one, whatever its first bytes are.
  if (Magic == ArchiveMagic || Path.ends_with(".kpack"))
    return verifyArchive(Path);
  if (Magic == "\177ELF")
    return verifyBinary(Path, Scope);
  std::string What =
      EC ? EC.message() : "neither a kpack archive nor an ELF file";
  Report.problem(Path + ": " + What + "; give archives and binaries");
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

/// What of the folder \p Root is an archive, or a binary with HIP code, in the
/// order of names. A tree has all sorts of other files.
static std::vector<std::string> filesOf(StringRef Root,
                                        std::vector<std::string> &Problems) {
  std::vector<std::string> Found;
  std::error_code EC;
  for (sys::fs::recursive_directory_iterator
           I(Root, EC, /*follow_symlinks=*/false),
       End;
       I != End && !EC; I.increment(EC)) {
    const std::string &Path = I->path();
    if (I->type() != sys::fs::file_type::regular_file)
      continue; // a link, too: what it leads to is in the tree or is not
    std::error_code Unreadable;
    std::string Magic = magicOf(Path, Unreadable);
    if (Magic == ArchiveMagic || StringRef(Path).ends_with(".kpack")) {
      Found.push_back(Path);
    } else if (Magic == "\177ELF") {
      Expected<HostBinary> Binary = readHostBinary(Path);
      if (!Binary) // an object, a core, another machine
        consumeError(Binary.takeError());
      else if (!Binary->Linked.Wrappers.empty() ||
               !Binary->Linked.MarkerBytes.empty())
        Found.push_back(Path);
    }
  }
  if (EC)
    Problems.push_back(
        (Root + ": " + EC.message() + "; give a folder that can be read")
            .str());
  else if (Found.empty())
    Problems.push_back((Root + ": no archive and no binary with HIP code in "
                               "this folder; give the folder of a program")
                           .str());
  sort(Found);
  return Found;
}

static Expected<VerifyScope> scopeOf(const InputArgList &Args) {
  VerifyScope Scope;
  if (Error E = GlobList::createFromLists(
                    "--arch=", Args.getAllArgValues(OPT_arch_EQ), "target ids")
                    .moveInto(Scope.Arches))
    return std::move(E);
  for (const std::string &List : Args.getAllArgValues(OPT_gpu_EQ)) {
    SmallVector<StringRef> Names;
    StringRef(List).split(Names, ',');
    for (StringRef Name : Names) {
      if (!isValidTargetId(std::string_view(Name)))
        return objectError("--gpu=" + List,
                           "'" + Name +
                               "' is no device; give names such as "
                               "gfx90a or gfx90a:sramecc+:xnack-");
      Scope.Gpus.push_back(Name.str());
    }
  }
  return Scope;
}

static void runVerify(Session &S, const InputArgList &Args) {
  bool Json = Args.hasArg(OPT_json);
  Expected<VerifyScope> Scope = scopeOf(Args);
  if (!Scope)
    return S.error(Scope.takeError());
  std::vector<std::string> Paths, Problems;
  for (const std::string &Path :
       inputsOf(S, Args, VerifyCommand, "archive, binary or folder")) {
    if (sys::fs::is_directory(Path))
      append_range(Paths, filesOf(Path, Problems));
    else
      Paths.push_back(Path);
  }
  for (const std::string &Problem : Problems)
    S.error(Problem);
  std::vector<VerifyReport> Reports;
  for (const std::string &Path : Paths) {
    VerifyReport Report = verifyFile(Path, *Scope);
    for (const std::string &Problem : Report.Problems)
      S.error(Problem);
    for (const std::string &Note : Report.Notes)
      S.note(Note);
    if (Report.Problems.empty() && !Json)
      S.out() << printable(Path) << ": ok: " << Report.Summary << '\n';
    Reports.push_back(std::move(Report));
  }
  if (!Json || Reports.empty())
    return;
  kpack::printJson(S.out(), "kpack.verify/1", [&](json::OStream &J) {
    J.attributeArray("files", [&] {
      for (const VerifyReport &Report : Reports)
        printJson(J, Report);
    });
  });
}

const Command tool::VerifyCommand = {
    {"verify", "<archive, binary or folder>...",
     "check archives, and binaries against their archives",
     "check archives, and binaries against their archives\n\n"
     "Of an archive, every code object is read and compared with the table of "
     "contents.\nOf a binary, marker and wrappers are checked, the archives "
     "are "
     "looked for along\nits search paths, and every wrapper must have the code "
     "objects that it was built\nfor, or those of --arch= and --gpu=. Of a "
     "folder, every archive and every binary\nwith HIP code is checked. All "
     "problems are listed; the exit code is 1 when there\nis one.",
     "  $ kpack verify app .kpack/*.kpack\n"
     "  $ kpack verify --gpu=gfx90a:sramecc+:xnack- /opt/app\n"
     "  $ kpack verify --json app | jq -r '.files[].problems[]'\n",
     VerifyOption},
    runVerify};
