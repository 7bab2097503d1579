//===- Inspect.cpp - kpack inspect: device code of any file ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists all device code of files of any kind, down to kernels. For a folder,
// lists every file with device code in the order of names; then programs do not
// stand for their archives, which are in the folder as well. Siblings: Ref.cpp
// (data of a binary), List.cpp (entries of archives).
//
//===----------------------------------------------------------------------===//
#include "Tool/Inspect/Inspect.h"
#include "Tool/Command.h"
#include "Tool/FolderWalk.h"
#include "ToolSupport/Output.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

/// Returns the files of the folder \p Root, ordered by name.
static std::vector<std::string> getFiles(Session &S, StringRef Root) {
  std::vector<std::string> Files;
  for (const std::string &Problem :
       forEachFile(Root, [&](const std::string &Path, StringRef) {
         Files.push_back(Path);
       }))
    S.error(Problem);
  llvm::sort(Files);
  return Files;
}

static Expected<InspectChoice> parseChoice(const InputArgList &Args) {
  InspectChoice Choice;
  if (Error E =
          parseTargetScope(Args).moveInto(static_cast<TargetScope &>(Choice)))
    return std::move(E);
  if (Error E =
          GlobList::create("--kernel=", Args.getAllArgValues(OPT_kernel_EQ))
              .moveInto(Choice.Kernels))
    return std::move(E);
  return Choice;
}

/// Calls \p Print for each file of \p Paths.
static void inspectAll(Session &S, ArrayRef<std::string> Paths,
                       InspectChoice &Choice,
                       function_ref<void(const InspectedFile &)> Print) {
  for (const std::string &Path : Paths) {
    if (!sys::fs::is_directory(Path)) {
      if (std::optional<InspectedFile> File =
              inspectFile(S, Path, Choice, /*WithArchives=*/true))
        if (!Choice.chooses() || !File->Parts.empty())
          Print(*File);
      continue;
    }
    for (const std::string &Inner : getFiles(S, Path))
      if (std::optional<InspectedFile> File =
              inspectFile(S, Inner, Choice, /*WithArchives=*/false))
        if (!File->Parts.empty() ||
            (!Choice.chooses() && File->Kind != "no device code"))
          Print(*File);
  }
}

static void runInspect(Invocation &I) {
  std::vector<std::string> Paths = getInputs(I, "file or folder");
  InspectChoice Choice;
  if (Error E = parseChoice(I.Args).moveInto(Choice))
    return I.S.error(std::move(E));
  if (Paths.empty())
    return;
  if (I.json())
    kpack::printJson(I.S.out(), "kpack.inspect/1", [&](json::OStream &J) {
      J.attributeArray("files", [&] {
        inspectAll(I.S, Paths, Choice,
                   [&](const InspectedFile &File) { printInspected(J, File); });
      });
    });
  else
    inspectAll(I.S, Paths, Choice, [&](const InspectedFile &File) {
      printInspected(I.S.out(), File, I.Args.hasArg(OPT_summary));
    });
  if (Error E = checkDevices(Choice, Choice.Seen))
    return I.S.error(std::move(E));
  for (const std::string &Note : translationNotes(Choice, Choice.Seen))
    I.S.note(Note);
  if (Choice.chooses() && !Choice.FoundAny && !Choice.Seen.empty())
    I.S.error(Paths.front() + (Paths.size() > 1 ? " and others" : "") +
              ": nothing matches " + Choice.describe() +
              "; there is code for " + join(Choice.Seen, ", "));
}

const Command tool::InspectCommand = {
    {"inspect", "<file or folder>...",
     "list all device code of files, down to kernels",
     "list all device code of files, down to kernels\n\n"
     "Files are fat programs and libraries, objects, static libraries, kpack "
     "archives,\ncode objects (.co, .hsaco), bundles, compressed or not. A "
     "program that ld.kpack\nhas written stands for its archives. Of a folder, "
     "every file with device code is\nlisted.\n"
     "CODE, LDS and PRIVATE are bytes: of a kernel's instructions, of a "
     "workgroup's\nlocal memory, of a work item's private memory. The numbers "
     "are the compiler's.",
     "  $ kpack inspect libfoo.so\n"
     "  $ kpack inspect --arch='gfx9*' --kernel='*gemm*' libfoo.so\n"
     "  $ kpack inspect --gpu=gfx90a:sramecc+:xnack- --summary /opt/app\n"
     "  $ kpack inspect --json k.co | jq '.files[].containers[].code_objects[]"
     ".kernels[].vgprs'\n",
     InspectOption},
    runInspect};
