//===- Doctor.cpp - kpack doctor: checks of an installation ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verify.cpp checks files; this command checks an installation for the GPU of
// the machine: a program with all its libraries, its environment, and the
// loader's own search. It names a missing archive, for which a user would only
// get "invalid image". DoctorBinary.cpp has the checks of one binary.
//
//===----------------------------------------------------------------------===//
#include "Tool/Command.h"
#include "Tool/Doctor/DoctorBinary.h"
#include "Tool/Doctor/NeededLibraries.h"
#include "Tool/TargetScope.h"
#include "Tool/Verify/Verify.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/GpusOfMachine.h"
#include "ToolSupport/Output.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {

struct Checkup {
  std::vector<std::string> Gpus;
  std::vector<BinaryHealth> Binaries;
  std::vector<NeededLibrary> Missing;
  /// Complete messages about the installation as a whole.
  std::vector<std::string> Problems, Notes;
  /// The shim, loaded before the runtime by the environment or because the
  /// program is linked with it.
  ShimPlace Shim;
  bool IsShimLinked = false;
  /// The HIP runtime of a program without the shim.
  std::string BareRuntime;

  bool isGood() const {
    return Missing.empty() && Problems.empty() &&
           all_of(Binaries, [](const BinaryHealth &B) { return B.isGood(); });
  }
};

} // namespace

static std::string variable(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

/// Returns a file as given, or a program as a shell would find it.
static std::string getProgram(StringRef Word) {
  if (Word.contains('/') || sys::fs::exists(Word))
    return Word.str();
  ErrorOr<std::string> Found = sys::findProgramByName(Word);
  return Found ? *Found : Word.str();
}

static bool isProgram(StringRef Path) {
  std::error_code EC;
  return looksLinked(readMagic(Path, EC));
}

static bool canBeRead(StringRef Path) {
  std::error_code EC;
  readMagic(Path, EC);
  return !EC;
}

/// Returns the reason why \p Path, found for \p Word, is no program.
static std::string noProgram(StringRef Word, StringRef Path) {
  std::error_code EC;
  readMagic(Path, EC);
  bool IsOther = !EC || EC == std::errc::invalid_argument;
  std::string Why = EC == std::errc::no_such_file_or_directory
                        ? "no such file or program"
                    : IsOther ? "no program and no library"
                              : EC.message();
  return Word.str() + ": " + Why +
         "; give programs, libraries or folders that can be read"
         " ('kpack verify' looks into archives)";
}

/// Checks that each loaded HIP runtime supports HIPK, or has the shim before
/// it.
static void checkRuntime(ArrayRef<NeededLibrary> Libraries, Checkup &All) {
  auto Find = [&](StringRef Stem) {
    auto It = find_if(Libraries, [&](const NeededLibrary &L) {
      return StringRef(L.Name).starts_with(Stem) && !L.Path.empty();
    });
    return It == Libraries.end() ? std::string() : It->Path;
  };
  std::string Hip = Find("libamdhip64.so");
  bool IsLinked = !Find("libkpack_hip.so").empty();
  All.IsShimLinked |= IsLinked;
  if (Hip.empty() || IsLinked || !All.Shim.Preloaded.empty())
    return;
  All.BareRuntime = Hip;
  bool UsesKpack = any_of(All.Binaries, [](const BinaryHealth &B) {
    return B.Kind == "host-only";
  });
  if (!UsesKpack || !Find("librocm_kpack.so").empty())
    return;
  std::string Problem = Hip + ": does not load archives; " +
                        All.Shim.howToPreload() +
                        ", or install a ROCm that has librocm_kpack.so";
  // Every program of a folder may need the same one.
  if (!is_contained(All.Problems, Problem))
    All.Problems.push_back(std::move(Problem));
}

static bool isOfReference(const BinaryHealth &B) {
  return B.Kind == "reference";
}

/// A kernel library has a file for each GPU. Reports a folder that has only
/// such files, and none for this GPU.
static void checkReferencesFor(StringRef Gpu, Checkup &All) {
  bool IsAllForOthers = all_of(All.Binaries, [&](const BinaryHealth &B) {
    return isOfReference(B) && is_contained(B.NotMeantFor, Gpu);
  });
  if (All.Binaries.empty() || !IsAllForOthers)
    return;
  size_t Others = All.Binaries.size() - 1;
  All.Problems.push_back(
      All.Binaries.front().Path + ": not built for " + Gpu.str() +
      (Others ? ", and neither is any of " + counted(Others, "other reference")
              : "") +
      "; install a build for it");
}

/// References are opened as files, so no table tells which program does that.
static void checkShim(Checkup &All) {
  size_t Count = count_if(All.Binaries, isOfReference);
  if (!Count || All.IsShimLinked || !All.Shim.Preloaded.empty())
    return;
  const std::string &First = find_if(All.Binaries, isOfReference)->Path;
  std::string Subject = Count == 1 ? "a reference to code in an archive"
                                   : "one of " + std::to_string(Count) +
                                         " references to code in archives";
  std::string Message = First + ": " + Subject +
                        ", which HIP opens only with libkpack_hip.so in front "
                        "of it; " +
                        All.Shim.howToPreload() +
                        "; it serves programs that load them by name or from "
                        "mapped files";
  // The programs may run in another environment than this one.
  bool IsMissing = All.Shim.Installed.empty() || !All.Shim.Lost.empty() ||
                   !All.BareRuntime.empty();
  (IsMissing ? All.Problems : All.Notes).push_back(std::move(Message));
}

/// Adds a file with a damaged dynamic table, unless it has a problem already.
/// Many programs may need the same file.
static void addDamaged(const std::string &Path, const std::string &Why,
                       Checkup &All) {
  std::string Problem = Path +
                        ": damaged, so that libraries may be missing: " + Why +
                        "; install it again";
  bool IsKnown = any_of(All.Binaries, [&](const BinaryHealth &B) {
    return B.Path == Path && !B.isGood();
  });
  if (!IsKnown && !is_contained(All.Problems, Problem))
    All.Problems.push_back(std::move(Problem));
}

/// Checks \p Program and its libraries.
static void checkProgram(StringRef Program, const NeededLibraries &Linker,
                         const HealthScope &Scope, StringSet<> &Seen,
                         Checkup &All) {
  LoadedLibraries Loaded = Linker.of(Program);
  const std::vector<NeededLibrary> &Libraries = Loaded.All;
  auto Check = [&](StringRef Path, StringRef NeededBy) {
    SmallString<256> Real;
    if (sys::fs::real_path(Path, Real) || !Seen.insert(Real).second)
      return;
    if (std::optional<BinaryHealth> Health = checkHealth(Path, Scope)) {
      Health->NeededBy = NeededBy.str();
      All.Binaries.push_back(std::move(*Health));
    }
  };
  Check(Program, "");
  for (const NeededLibrary &L : Libraries)
    if (L.Path.empty())
      All.Missing.push_back(L);
    else
      Check(L.Path, L.NeededBy);
  for (const auto &[Path, Why] : Loaded.Damaged)
    addDamaged(Path, Why, All);
  checkRuntime(Libraries, All);
}

static Error readGpus(const InputArgList &Args, Checkup &All) {
  for (const std::string &List : Args.getAllArgValues(OPT_gpu_EQ)) {
    Expected<std::vector<std::string>> Names = parseDevices(List);
    if (!Names)
      return Names.takeError();
    append_range(All.Gpus, *Names);
  }
  All.Notes = unknownGpuNotes("--gpu=", All.Gpus);
  if (All.Gpus.empty())
    All.Gpus = gpusOfMachine();
  return Error::success();
}

static Checkup examine(ArrayRef<std::string> Operands, Checkup All) {
  NeededLibraries Linker(LinkerCache::read(), variable("LD_LIBRARY_PATH"));
  runtime::ArchiveSearch Search(runtime::Environment::read());
  HealthScope Scope = {All.Gpus, Search};
  All.Shim = findShim(Linker, variable("LD_PRELOAD"));
  if (Search.Env.Disabled)
    All.Problems.push_back("environment: ROCM_KPACK_DISABLE is set, so no "
                           "archive is loaded; unset it");
  StringSet<> Seen;
  for (const std::string &Word : Operands) {
    std::string Path = getProgram(Word);
    std::vector<std::string> Files = {Path};
    bool IsFolder = sys::fs::is_directory(Path);
    if (IsFolder)
      Files = findHipFiles(Path, All.Problems);
    for (const std::string &File : Files)
      if (isProgram(File))
        checkProgram(File, Linker, Scope, Seen, All);
      else if (std::optional<BinaryHealth> Health = checkHealth(File, Scope))
        All.Binaries.push_back(std::move(*Health));
      else if (!IsFolder)
        All.Problems.push_back(noProgram(Word, Path));
      else if (!canBeRead(File))
        All.Problems.push_back(noProgram(File, File));
  }
  checkShim(All);
  for (const std::string &Gpu : All.Gpus)
    checkReferencesFor(Gpu, All);
  for (const BinaryHealth &B : All.Binaries)
    append_range(All.Notes, B.Notes);
  return All;
}

static std::vector<std::string> getMessages(const Checkup &All) {
  std::vector<std::string> Messages = All.Problems;
  for (const NeededLibrary &L : All.Missing)
    Messages.push_back(L.NeededBy + ": needs " + L.Name +
                       ", which is not there; install it, or name its folder "
                       "in LD_LIBRARY_PATH");
  for (const BinaryHealth &B : All.Binaries)
    append_range(Messages, B.Problems);
  return Messages;
}

/// Returns the requested GPUs that it was built for, "gfx1100, gfx90a".
static std::string meantFor(const BinaryHealth &B, const Checkup &All) {
  if (All.Gpus.empty())
    return "all that it was built for";
  std::vector<std::string> Gpus = All.Gpus;
  llvm::erase_if(Gpus, [&](const std::string &Gpu) {
    return is_contained(B.NotMeantFor, Gpu);
  });
  return Gpus.empty() ? "other GPUs" : join(Gpus, ", ");
}

static void printText(Session &S, const Checkup &All) {
  for (const BinaryHealth &B : All.Binaries)
    if (B.isGood())
      S.out() << printable(B.Path) << ": ok: " << B.Kind << ", "
              << (B.WrapperCount ? counted(B.WrapperCount, "wrapper") + ", "
                                 : std::string())
              << "for " << meantFor(B, All) << '\n';
  if (All.Binaries.empty() && All.isGood())
    S.out() << "no HIP code in what is loaded, nothing is missing\n";
}

static void printBinary(json::OStream &J, const BinaryHealth &B) {
  J.object([&] {
    J.attribute("path", jsonText(B.Path));
    J.attribute("needed_by", jsonText(B.NeededBy));
    J.attribute("kind", B.Kind);
    J.attribute("ok", B.isGood());
    attributeTexts(J, "problems", B.Problems);
    J.attributeArray("missing", [&] {
      for (const MissingArchive &M : B.Missing)
        J.object([&] {
          J.attribute("gpu", jsonText(M.Gpu));
          J.attribute("target", jsonText(M.Target));
          attributeTexts(J, "files", M.Files);
        });
    });
  });
}

static void printJson(Session &S, const Checkup &All) {
  kpack::printJson(S.out(), "kpack.doctor/1", [&](json::OStream &J) {
    J.attribute("ok", All.isGood());
    attributeTexts(J, "gpus", All.Gpus);
    attributeTexts(J, "problems", getMessages(All));
    attributeTexts(J, "notes", All.Notes);
    J.attributeArray("binaries", [&] {
      for (const BinaryHealth &B : All.Binaries)
        printBinary(J, B);
    });
    J.attributeArray("missing_libraries", [&] {
      for (const NeededLibrary &L : All.Missing)
        J.object([&] {
          J.attribute("name", jsonText(L.Name));
          J.attribute("needed_by", jsonText(L.NeededBy));
        });
    });
  });
}

static void runDoctor(Invocation &I) {
  if (Error E =
          refuseStdin(I.Args, "what a program is loaded with is found from "
                              "where it lies; give the file there"))
    return I.S.error(std::move(E));
  Checkup All;
  if (Error E = readGpus(I.Args, All))
    return I.S.error(std::move(E));
  if (All.Gpus.empty())
    I.S.note(
        "no GPU is known to this machine's driver, so all targets are asked "
        "for; name one with --gpu=");
  std::vector<std::string> Operands = I.operands();
  if (Operands.empty())
    Operands.push_back(".");
  All = examine(Operands, std::move(All));
  for (const std::string &Message : getMessages(All))
    I.S.error(Message);
  for (const std::string &Note : All.Notes)
    I.S.note(Note);
  if (I.json())
    printJson(I.S, All);
  else
    printText(I.S, All);
}

const Command tool::DoctorCommand = {
    {"doctor", "[<program, library or folder>...]",
     "is an installation complete for this GPU?",
     "say whether an installation is complete for this GPU\n\n"
     "A program is looked at with all libraries that it is loaded with, in the "
     "places\nwhere the dynamic linker finds them; each of them that has HIP "
     "code must load, and\nits archives must be where the loader looks, with "
     "the environment as it is now.\nWhat is missing is named. Without "
     "--gpu= the machine's GPUs are asked for;\nwithout an operand, the "
     "current folder is looked at. The exit code is 1 when\nanything is "
     "missing.",
     "  $ kpack doctor ./app\n"
     "  $ kpack doctor --gpu=gfx90a:sramecc+:xnack- /opt/app/bin\n"
     "  $ kpack doctor --json rocfft-bench | jq -r "
     "'.binaries[].missing[].files[]'\n",
     DoctorOption},
    runDoctor};
