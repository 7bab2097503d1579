//===- Strip.cpp - kpack strip: removal of debug information --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Removes the debug information from code objects, in archives or single, as
// strip -g does for programs. Keys and archive ids stay, so loaders see no
// difference. A file without debug information stays the same, byte for byte,
// so stripping is idempotent. Offload/DeviceDebug.h does the work on a code
// object. Siblings: StripArchive.cpp, Prune.cpp.
//
//===----------------------------------------------------------------------===//
#include "Tool/Commands/Strip.h"
#include "Offload/CodeObjectHeader.h"
#include "Offload/DeviceDebug.h"
#include "Outputs/MadeFolders.h"
#include "Tool/Command.h"
#include "Tool/Commands/WholeFile.h"
#include "Tool/FolderWalk.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Output.h"
#include "kpack/Archive/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

using Bytes = std::unique_ptr<MemoryBuffer>;

/// Debug information cannot be found in a damaged code object. A GPU may accept
/// it nevertheless, so this is no error.
void Stripped::noteDamage(const std::string &Name, StringRef Bytes) {
  if (Error E = offload::checkDeviceDebug(Bytes))
    Notes.push_back(Name + ": stays as it is: " + toString(std::move(E)));
}

/// Copies a file that has no debug information to the output.
static Error copyWhole(Stripped &Done, const StripPlan &Plan) {
  Done.SizeAfter = Done.SizeBefore;
  if (Plan.Output.empty())
    return Error::success();
  Expected<WholeFile> File = readWhole(Done.Path);
  if (!File)
    return File.takeError();
  return writeOutput(Plan.Output, File->Bytes->getBuffer(), File->Who);
}

/// Strips a code object that is a file.
static Expected<Stripped> stripCodeObject(const std::string &Path,
                                          const StripPlan &Plan) {
  Expected<WholeFile> File = readWhole(Path);
  if (!File)
    return File.takeError();
  StringRef Full = File->Bytes->getBuffer();
  if (!offload::isCodeObject(Full))
    return objectError(
        Path, "neither an archive nor a code object; give one of these, or of "
              "a binary its archives ('kpack convert --device-debug=strip' "
              "makes them of a fat one)");
  Stripped Done{Path, 1, 0, Full.size(), 0};
  Bytes Bare, Debug;
  if (Error E = offload::withoutDeviceDebug(Full).moveInto(Bare))
    return objectError(Path, std::move(E));
  if (!Bare) {
    Done.noteDamage(Path, Full);
    return Done;
  }
  std::string Output = Plan.outputFor(Path);
  if (Plan.IsSplit) {
    if (Error E = offload::onlyDeviceDebug(Full).moveInto(Debug))
      return objectError(Path, std::move(E));
    Done.DebugPath = Output + ".debug";
    if (Error E = writeOutput(Done.DebugPath, Debug->getBuffer(), File->Who))
      return std::move(E);
  }
  if (Error E = writeOutput(Output, Bare->getBuffer(), File->Who))
    return std::move(E);
  Done.Changed = 1;
  Done.SizeAfter = Bare->getBufferSize();
  return Done;
}

static Expected<Stripped> stripFile(const std::string &Path,
                                    const StripPlan &Plan) {
  // A pipe may never end, and a device has no end.
  if (sys::fs::exists(Path) && !sys::fs::is_regular_file(Path))
    return objectError(Path, "not a regular file; give an archive or a code "
                             "object");
  char Magic[ArchiveMagic.size()] = {};
  if (Expected<sys::fs::file_t> File = sys::fs::openNativeFileForRead(Path)) {
    if (Expected<size_t> Got = sys::fs::readNativeFile(*File, Magic); !Got)
      consumeError(Got.takeError());
    sys::fs::closeFile(*File);
  } else {
    return objectError(Path, toString(File.takeError()) +
                                 "; give an archive or a code object");
  }
  Expected<Stripped> Done =
      looksLikeArchive(Path, StringRef(Magic, sizeof(Magic)))
          ? stripArchive(Path, Plan)
          : stripCodeObject(Path, Plan);
  if (Done && !Done->Changed)
    if (Error E = copyWhole(*Done, Plan))
      return std::move(E);
  return Done;
}

static void print(Session &S, const Stripped &Done) {
  S.out() << printable(Done.Path) << ": " << Done.Changed << " of "
          << counted(Done.Entries, "code object") << " stripped, "
          << Done.SizeBefore << " bytes before, " << Done.SizeAfter << " now";
  if (!Done.DebugPath.empty())
    S.out() << ", debug information in " << printable(Done.DebugPath);
  S.out() << '\n';
}

static void printJson(json::OStream &J, const Stripped &Done) {
  J.object([&] {
    J.attribute("path", jsonText(Done.Path));
    J.attribute("code_objects", uint64_t(Done.Entries));
    J.attribute("stripped", uint64_t(Done.Changed));
    J.attribute("size_before", Done.SizeBefore);
    J.attribute("size_after", Done.SizeAfter);
    J.attribute("debug_path", jsonText(Done.DebugPath));
  });
}

static Expected<StripPlan> buildPlan(const InputArgList &Args,
                                     ArrayRef<std::string> Paths) {
  StripPlan Plan;
  Plan.Output = Args.getLastArgValue(OPT_output).str();
  StringRef Mode = Args.getLastArgValue(OPT_device_debug_EQ, "strip");
  if (Mode != "strip" && Mode != "split")
    return objectError("--device-debug=" + Mode.str(),
                       "neither strip nor split; give one of them");
  Plan.IsSplit = Mode == "split";
  if (Args.hasArg(OPT_in_place) == !Plan.Output.empty())
    return objectError("command line", "give either -o <file> or --in-place");
  if (!Plan.Output.empty() && Paths.size() > 1)
    return objectError(Plan.Output, "one file for several; give one archive or "
                                    "code object, or --in-place");
  return Plan;
}

static void runStrip(Invocation &I) {
  std::vector<std::string> Paths = getInputs(I, "archive or code object");
  if (Paths.empty())
    return;
  if (I.Args.hasArg(OPT_in_place))
    if (Error E = refuseStdin(I.Args, "cannot be replaced; name the result "
                                      "with -o"))
      return I.S.error(std::move(E));
  Expected<StripPlan> Plan = buildPlan(I.Args, Paths);
  if (!Plan)
    return I.S.error(Plan.takeError());
  MadeFolders Folders;
  if (Error E = Folders.makeFor(Plan->Output))
    return I.S.error(std::move(E));
  std::vector<Stripped> All;
  for (const std::string &Path : Paths) {
    Expected<Stripped> Done = stripFile(Path, *Plan);
    if (!Done) {
      I.S.error(Done.takeError());
      continue;
    }
    for (const std::string &Note : Done->Notes)
      I.S.note(Note);
    if (!I.json())
      print(I.S, *Done);
    All.push_back(std::move(*Done));
  }
  if (I.json())
    kpack::printJson(I.S.out(), "kpack.strip/1", [&](json::OStream &J) {
      J.attributeArray("files", [&] {
        for (const Stripped &Done : All)
          printJson(J, Done);
      });
    });
}

const Command tool::StripCommand = {
    {"strip", "<archive or code object>...",
     "take the debug information out of device code",
     "take the debug information out of device code\n\n"
     "What a GPU loads stays as it is, and so do the keys and archive ids by "
     "which\nbinaries find it. With --device-debug=split the debug information "
     "goes to an\narchive of the same name in the folder 'debug' beside the "
     "output, or, of a code\nobject, to '<output>.debug'. A file without debug "
     "information stays as it is.",
     "  $ kpack strip --in-place .kpack/*.kpack\n"
     "  $ kpack strip -o small.kpack app.kpack\n"
     "  $ kpack strip --device-debug=split --in-place lib/.kpack/*.kpack\n",
     StripOption},
    runStrip};
