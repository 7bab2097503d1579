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
#include "kpack/Tool/Verify.h"
#include "Command.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

static VerifyReport verifyFile(StringRef Path) {
  VerifyReport Report;
  Report.Path = Path.str();
  Report.Kind = "unknown";
  // A pipe may never have an end, and a device has none.
  if (sys::fs::exists(Path) && !sys::fs::is_regular_file(Path)) {
    Report.problem(Path + ": not a regular file; give archives and binaries");
    return Report;
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> Start = MemoryBuffer::getFileSlice(
      Path, /*MapSize=*/ArchiveMagic.size(), /*Offset=*/0);
  StringRef Magic = Start ? (*Start)->getBuffer() : StringRef();
  // A file by the name of an archive is one, whatever its first bytes are.
  if (Magic == StringRef(ArchiveMagic) || Path.ends_with(".kpack"))
    return verifyArchive(Path);
  if (Magic == StringRef("\177ELF"))
    return verifyBinary(Path);
  std::string What = Start ? "neither a kpack archive nor an ELF file"
                           : Start.getError().message();
  Report.problem(Path + ": " + What + "; give archives and binaries");
  return Report;
}

static void printJson(json::OStream &J, const VerifyReport &Report) {
  auto strings = [&](StringRef Key, const std::vector<std::string> &Texts) {
    J.attributeArray(Key, [&] {
      for (const std::string &Text : Texts)
        J.value(jsonText(Text));
    });
  };
  J.object([&] {
    J.attribute("path", jsonText(Report.Path));
    J.attribute("kind", Report.Kind);
    J.attribute("ok", Report.Problems.empty());
    strings("problems", Report.Problems);
    strings("notes", Report.Notes);
  });
}

static void runVerify(Session &S, const InputArgList &Args) {
  bool Json = Args.hasArg(OPT_json);
  std::vector<VerifyReport> Reports;
  for (const std::string &Path :
       inputsOf(S, Args, VerifyCommand, "archive or binary")) {
    VerifyReport Report = verifyFile(Path);
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
  json::OStream J(S.out(), /*IndentSize=*/2);
  J.object([&] {
    J.attribute("schema", "kpack.verify/1");
    J.attributeArray("files", [&] {
      for (const VerifyReport &Report : Reports)
        printJson(J, Report);
    });
  });
  S.out() << '\n';
}

const Command tool::VerifyCommand = {
    "verify",
    "<archive or binary>...",
    "check archives, and binaries against their archives",
    "check archives, and binaries against their archives\n\n"
    "Of an archive, every code object is read and compared with the table of "
    "contents.\nOf a binary, marker and wrappers are checked, the archives are "
    "looked for along\nits search paths, and every wrapper must have a code "
    "object. All problems are\nlisted; the exit code is 1 when there is one.",
    "  $ kpack verify app .kpack/*.kpack\n"
    "  $ kpack verify --json app | jq -r '.files[].problems[]'\n",
    VerifyOption,
    runVerify};
