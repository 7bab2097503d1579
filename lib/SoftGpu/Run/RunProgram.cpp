//===- RunProgram.cpp - kpack-run: programs on emulated GPUs --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack-run [options] [--] PROGRAM ARGS: runs the program on the system's ROCm
// runtime, below which lib/SoftGpu/Kfd replaces the kernel driver. Options are
// ours up to the program's name.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Run/RunProgram.h"

#include "Child.h"
#include "DriverFiles.h"
#include "ProgramEnvironment.h"
#include "Rocm.h"
#include "RocmTree.h"

#include "SoftGpu/Kfd/Configuration.h"
#include "Support/InstallLayout.h"
#include "ToolSupport/CommandOptions.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/TemporaryFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::softgpu;
using namespace llvm;
using namespace llvm::opt;

namespace {
#define KPACK_OPTION_TABLE "KpackRunOptions.inc"
#include "ToolSupport/OptionTable.inc"

/// Exit status of kpack-run besides the program's, as of env(1) and timeout(1)
/// if they define it.
enum ExitStatus {
  KernelFailed = 70, ///< although the program ended with 0
  OwnFailure = 125,
  NotExecutable = 126,
  NotFound = 127
};
} // namespace

static constexpr Verb Ourselves = {
    .Name = "kpack-run",
    .Operands = "[--] <program> [<argument>...]",
    .Overview = "run a HIP program on emulated AMD GPUs, with the ROCm runtime "
                "of this system",
    .Examples = "  $ kpack-run ./vector_add\n"
                "  $ kpack-run --gpu=gfx90a,gfx1030 -- ./two_gpus --verbose\n"
                "  $ kpack-run --stats --check=lds,alignment ./test\n"};

static constexpr const char *ExitStatusHelp =
    "\nEXIT STATUS: the program's; 128 + n if signal n ended it; 70 if it was "
    "0 "
    "although\n"
    "a kernel failed; 127: no such program; 126: it cannot be executed; 125: "
    "any other\n"
    "error of kpack-run\n";

static void printHelp(const CommandOptions &Options, raw_ostream &OS) {
  Options.printHelp(OS);
  OS << "\nGPUS:\n  ";
  unsigned Column = 2;
  for (const GpuProcessor &P : GpuProcessors) {
    if (Column + P.Name.size() > 76) {
      OS << "\n  ";
      Column = 2;
    }
    OS << P.Name << ' ';
    Column += P.Name.size() + 1;
  }
  OS << '\n' << ExitStatusHelp;
}

static Error checkChecks(StringRef List) {
  SmallVector<StringRef, 4> Names;
  List.split(Names, ',');
  for (StringRef Name : Names)
    if (Name != "lds" && Name != "alignment")
      return objectError(("--check=" + List).str(),
                         "no check '" + Name +
                             "'; there are lds and alignment");
  return Error::success();
}

static Error passNumber(const InputArgList &Args, OptSpecifier Id,
                        const char *Variable, uint64_t Most) {
  const Arg *A = Args.getLastArg(Id);
  if (!A)
    return Error::success();
  uint64_t Value = 0;
  if (StringRef(A->getValue()).getAsInteger(10, Value) || Value > Most)
    return objectError(A->getAsString(Args),
                       "a number from 0 to " + Twine(Most) + " expected");
  run::setVariable(Variable, std::to_string(Value));
  return Error::success();
}

/// Turns options into variables for the libraries in the program.
static Error passOptions(const InputArgList &Args) {
  if (const Arg *A = Args.getLastArg(OPT_gpu_EQ)) {
    if (Error E =
            readProcessors(A->getAsString(Args), A->getValue()).takeError())
      return E;
    run::setVariable("KPACK_SOFTGPU_GPUS", A->getValue());
  }
  if (const Arg *A = Args.getLastArg(OPT_check_EQ)) {
    if (Error E = checkChecks(A->getValue()))
      return E;
    run::setVariable("KPACK_SOFTGPU_CHECK", A->getValue());
  }
  if (const Arg *A = Args.getLastArg(OPT_out_of_bounds_EQ)) {
    StringRef Policy = A->getValue();
    if (Policy != "fail" && Policy != "hardware")
      return objectError(A->getAsString(Args), "fail or hardware expected");
    run::setVariable("KPACK_SOFTGPU_OUT_OF_BOUNDS", A->getValue());
  }
  if (Error E = passNumber(Args, OPT_instruction_limit_EQ,
                           "KPACK_SOFTGPU_INSTRUCTION_LIMIT", UINT64_MAX))
    return E;
  if (Error E = passNumber(Args, OPT_threads_EQ, "KPACK_SOFTGPU_THREADS", 1024))
    return E;
  if (Args.hasArg(OPT_stats))
    run::setVariable("KPACK_SOFTGPU_STATS", "1");
  if (Args.hasArg(OPT_trace))
    run::setVariable("KPACK_SOFTGPU_TRACE", "1");
  // Make each allocation separate, with 64 unused pages after it, so that
  // accesses out of bounds or to freed memory are noticed.
  run::setDefault("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1");
  run::setDefault("HSA_SVM_GUARD_PAGES", "64");
  return Error::success();
}

/// Creates a page in which the libraries count faults, and sets the variable
/// that names it. The path in /proc also works in programs that close all
/// descriptors. Null on failure; the program then runs without it.
static const uint32_t *shareFaultCount() {
  int Fd = ::memfd_create("kpack-run", MFD_CLOEXEC);
  if (Fd < 0 || ::ftruncate(Fd, 4096) != 0)
    return nullptr;
  void *Page = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, Fd, 0);
  if (Page == MAP_FAILED)
    return nullptr;
  run::setVariable("KPACK_SOFTGPU_STATUS",
                   ("/proc/" + Twine(::getpid()) + "/fd/" + Twine(Fd)).str());
  return static_cast<const uint32_t *>(Page);
}

/// Prints the error and returns \p Status.
static int complain(Session &S, Error E, int Status) {
  S.error(std::move(E));
  return Status;
}

/// Makes a temporary file as the runtime does, of about the size of its copy
/// kernels and their inputs: on a full disk, creating a file may succeed
/// although writing fails.
static std::error_code tryTemporaryFile() {
  constexpr off_t Enough = 1 << 20;
  std::string Path = temporaryParent() + "/kpack-run-XXXXXX";
  int Fd = ::mkostemp(Path.data(), O_CLOEXEC);
  if (Fd < 0)
    return {errno, std::generic_category()};
  // Report a limit of the shell (ulimit -f) instead of dying.
  auto Before = ::signal(SIGXFSZ, SIG_IGN);
  int Problem = ::posix_fallocate(Fd, 0, Enough);
  ::signal(SIGXFSZ, Before);
  ::close(Fd);
  sys::fs::remove(Path);
  return {Problem, std::generic_category()};
}

/// Not an error: the program may need no temporary files.
static void checkTemporaryFiles(raw_ostream &Err) {
  std::error_code Problem = tryTemporaryFile();
  if (!Problem)
    return;
  WithColor::warning(Err, "kpack-run")
      << temporaryParent() << ": no file can be written: " << Problem.message()
      << "; the ROCm runtime cannot build its copy kernels, and HIP calls may "
         "fail or crash; set TMPDIR to a folder that can be written\n";
}

/// Returns lib/ beside our bin/.
static std::string libraryFolder(const char *Argv0) {
  std::string Self = sys::fs::getMainExecutable(
      Argv0, reinterpret_cast<void *>(&checkTemporaryFiles));
  SmallString<256> Libraries = sys::path::parent_path(Self);
  sys::path::append(Libraries, librariesFromPrograms());
  sys::path::remove_dots(Libraries, /*remove_dot_dot=*/true);
  return Libraries.str().str();
}

namespace {

/// The command to run, and its ROCm.
struct Preparation {
  std::vector<std::string> Command;
  std::optional<run::Rocm> Rocm; ///< empty if unknown
  std::string UnknownGpus;       ///< unknown to that ROCm
  run::DriverFiles Files;
};

} // namespace

/// Returns nothing if there is no ROCm.
static std::optional<run::Rocm> findRocm(const InputArgList &Args) {
  const Arg *A = Args.getLastArg(OPT_rocm_EQ);
  return A ? run::Rocm::find(run::libraryFolders(A->getValue()))
           : run::Rocm::installed();
}

static void printVersion(const InputArgList &Args, raw_ostream &Out) {
  Out << "kpack-run " KPACK_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  std::optional<run::Rocm> Rocm = findRocm(Args);
  Out << (Rocm ? Rocm->describe() : "ROCm: none found\n");
}

/// Reports GPUs that the ROCm does not know: an error if the program is certain
/// to get that ROCm. Without '--rocm' it may bring another.
static Error checkGpus(const Preparation &P, bool IsCertain, raw_ostream &Err) {
  if (P.UnknownGpus.empty())
    return Error::success();
  std::string Reason =
      P.Rocm->name() +
      " does not know this GPU and shows it to no program; use "
      "one that 'kpack-run --version' lists for it, or a newer "
      "ROCm ('--rocm')";
  if (IsCertain)
    return objectError(P.UnknownGpus, Reason);
  WithColor::warning(Err, "kpack-run")
      << P.UnknownGpus << ": " << Reason << '\n';
  return Error::success();
}

/// Sets \p P.Command to the command to start.
static Error prepare(const InputArgList &Args, StringRef Libraries,
                     Preparation &P, raw_ostream &Err) {
  if (Error E = passOptions(Args))
    return E;
  Expected<Configuration> Settings = Configuration::fromEnvironment();
  if (!Settings)
    return Settings.takeError();
  const Arg *Tree = Args.getLastArg(OPT_rocm_EQ);
  P.Rocm = findRocm(Args);
  if (P.Rocm)
    P.UnknownGpus = P.Rocm->unknown(Settings->Gpus);
  if (Error E = checkGpus(P, /*IsCertain=*/Tree != nullptr, Err))
    return E;
  if (Error E = P.Files.make(Settings->Gpus))
    return E;
  if (Error E = run::setLibraries(Libraries))
    return E;
  if (!Tree)
    return Error::success();
  return run::withRocm(Tree->getValue(), P.Command,
                       (Libraries + "/libsoftgpu_driver.so").str(),
                       P.Files.folder())
      .moveInto(P.Command);
}

/// Reports a crash as a shell would, since we are the child of the shell.
/// Silent for signals sent by others, and for SIGABRT, which programs send to
/// themselves after a message.
static void explainCrash(Session &S, StringRef Program, const Preparation &P,
                         int Signal) {
  if (!is_contained({SIGSEGV, SIGBUS, SIGILL, SIGFPE}, Signal))
    return;
  std::string Why;
  if (!P.UnknownGpus.empty())
    Why = ", which does not know " + P.UnknownGpus +
          "; use one that 'kpack-run --version' lists for it";
  else if (Signal == SIGSEGV && (!P.Rocm || P.Rocm->majorVersion() <= 5))
    Why = "; if that is at a kernel launch: HIP 5 crashes on kernels that "
          "clang 16 or later compiled at -O0 or with printf(), compile them "
          "with kpack-clang++";
  S.error(Program + ": ended by signal " + Twine(Signal) + " (" +
          ::strsignal(Signal) + ")" +
          (P.Rocm ? ", with " + P.Rocm->name() : std::string()) + Why);
}

static int runProgram(Session &S, StringRef Name, const Preparation &P) {
  const uint32_t *FaultCount = shareFaultCount();
  std::error_code ExecError;
  Expected<ProcessEnd> End = run::runProgram(P.Command, ExecError);
  if (!End)
    return complain(S, End.takeError(), OwnFailure);
  if (ExecError) {
    bool Missing = ExecError == std::errc::no_such_file_or_directory;
    return complain(S,
                    objectError(Name, "cannot execute: " + ExecError.message() +
                                          "; give a program, or its path"),
                    Missing ? NotFound : NotExecutable);
  }
  bool Failed =
      FaultCount && __atomic_load_n(FaultCount, __ATOMIC_ACQUIRE) != 0;
  if (End->Signal)
    explainCrash(S, Name, P, End->Signal);
  if (End->Code == 0 && Failed)
    return complain(
        S,
        objectError(Name, "a kernel failed, and the program ended with exit "
                          "status 0; see the error above"),
        KernelFailed);
  return End->Code;
}

int softgpu::runProgramMain(ArrayRef<char *> Given, raw_ostream &Out,
                            raw_ostream &Err) {
  // Our arguments end before the first that is no option.
  ArrayRef<char *> Ours = Given.drop_front().take_while(
      [](StringRef Word) { return Word.starts_with("-") && Word != "--"; });
  SmallVector<char *> Program(Given.drop_front(1 + Ours.size()));
  if (!Program.empty() && StringRef(Program.front()) == "--")
    Program.erase(Program.begin());
  KpackOptTable Table;
  SmallVector<const char *> Known(Ours);
  CommandOptions Options(Table, "", Ourselves, Known);
  const InputArgList &Args = Options.args();
  Session S(Out, Err, "kpack-run");
  if (Args.hasArg(OPT_help) || Args.hasArg(OPT_version)) {
    if (Args.hasArg(OPT_help))
      printHelp(Options, Out);
    else
      printVersion(Args, Out);
    return 0;
  }
  if (!Options.check(S))
    return OwnFailure;
  if (Program.empty())
    return complain(
        S, objectError("command line", "no program; " + Options.seeHelp()),
        OwnFailure);
  checkTemporaryFiles(Err);
  Preparation P;
  P.Command.assign(Program.begin(), Program.end());
  if (Error E = prepare(Args, libraryFolder(Given.front()), P, Err))
    return complain(S, std::move(E), OwnFailure);
  return runProgram(S, Program.front(), P);
}
