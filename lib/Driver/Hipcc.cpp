//===- Hipcc.cpp - hipcc command lines as clang's -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Supports the options and variables of hipcc 5.2 and 7.0; 7.0 decides where
// they differ. Read translate() first: it reads the user's arguments one by
// one, then puts hipcc's additions before them and the variables' flags after.
// clang's option table determines which arguments are inputs.
//
//===----------------------------------------------------------------------===//

#include "Hipcc.h"
#include "Clang.h"
#include "ClangOptions.h"
#include "HipDefaults.h"
#include "JobRunner.h"
#include "ToolSupport/Errors.h"
#include "Workspace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;
using namespace llvm::opt;
using kpack::objectError;

namespace kpack::driver {

bool isHipcc(StringRef Argv0) { return sys::path::filename(Argv0) == "hipcc"; }

static std::string variable(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

static void deprecated(StringRef Option, StringRef Instead) {
  WithColor::warning(errs(), "hipcc")
      << Option << ": out of date; " << Instead << '\n';
}

namespace {
class Hipcc {
public:
  Hipcc(const CommandLine &Given, std::vector<std::string> Args)
      : Given(Given), Words(std::move(Args)) {}

  Expected<HipccCommand> translate();

private:
  Error checkPlatform() const;
  Error readPaths();
  void readArguments();
  bool readOwnOption(StringRef Argument);
  void readOption(const Arg &A);
  void addInput(StringRef Path);
  void setLanguage(StringRef Language);
  std::string guessedLanguage(StringRef Path) const;
  std::vector<std::string> takeArguments();

  std::string deviceLibs() const;
  std::vector<std::string> compileFlags() const;
  std::vector<std::string> linkFlags() const;
  Expected<std::vector<std::string>> defaultTargets() const;
  void appendVariable(const char *Name);
  void printPaths() const;

  bool compiles() const { return HasHip || HasOther; }
  bool links() const { return HasInput && !CompileOnly; }

  const CommandLine &Given;
  std::vector<std::string> Words; // as given
  std::string Clang;
  HipInstallation Hip;
  unsigned Verbose = 0;

  std::vector<std::string> Arguments;
  std::vector<size_t> Targets; // indices in Arguments of options that name GPUs
  std::vector<std::string> Behind; // "--" and what follows
  std::string Language = "none";   // in force at the end of Arguments
  bool UserSaysLanguage = false;
  bool CxxAsHip = true;
  bool HasHip = false, HasOther = false, HasInput = false;
  bool CompileOnly = false, HasTarget = false, HasLevel = false, O0 = false;
  bool FunctionCalls = true;
  bool Version = false, ShortVersion = false;
  bool CompileFlagsAsked = false, LinkFlagsAsked = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Error Hipcc::checkPlatform() const {
  std::string Platform = variable("HIP_PLATFORM");
  if (Platform == "hcc")
    deprecated("HIP_PLATFORM=hcc", "set HIP_PLATFORM=amd");
  if (Platform.empty() || Platform == "amd" || Platform == "hcc")
    return Error::success();
  return objectError("HIP_PLATFORM=" + Platform,
                     "this hipcc compiles for AMD's GPUs; set "
                     "HIP_PLATFORM=amd, or run the hipcc of ROCm");
}

/// Reads options that clang lacks or that mean something else to hipcc. Returns
/// false for all others.
bool Hipcc::readOwnOption(StringRef Argument) {
  if (Argument == "--genco") {
    CompileOnly = true;
    Arguments.push_back("--offload-device-only");
  } else if (Argument == "--version") {
    Version = true;
    Arguments.push_back("--version");
  } else if (Argument == "--short-version" || Argument == "--hip-version") {
    ShortVersion = true;
  } else if (Argument == "--cxxflags") {
    CompileFlagsAsked = true;
  } else if (Argument == "--ldflags") {
    LinkFlagsAsked = true;
  } else if (Argument == "-h") {
    Arguments.push_back("--help");
  } else if (Argument == "-use_fast_math") {
    Arguments.push_back("-DHIP_FAST_MATH");
  } else if (Argument == "-use-staticlib" || Argument == "-use-sharedlib") {
    deprecated(Argument, "the kind of library that is found is linked");
  } else if (Argument.consume_front("--amdgpu-target=")) {
    deprecated("--amdgpu-target=", "give --offload-arch=");
    HasTarget = true;
    Targets.push_back(Arguments.size());
    Arguments.push_back(("--offload-arch=" + Argument).str());
  } else if (Argument.consume_front("--amdhsa-code-object-version=")) {
    deprecated("--amdhsa-code-object-version=", "give -mcode-object-version=");
    Arguments.push_back(("-mcode-object-version=" + Argument).str());
  } else if (Argument.consume_front("--hipcc-verbose=")) {
    if (Argument.getAsInteger(10, Verbose))
      deprecated(("--hipcc-verbose=" + Argument).str(), "give a number");
  } else if (Argument.starts_with("--hipcc")) {
    FunctionCalls = Argument == "--hipcc-func-supp"      ? true
                    : Argument == "--hipcc-no-func-supp" ? false
                                                         : FunctionCalls;
    deprecated(Argument, "drop it");
  } else {
    return false;
  }
  return true;
}

static bool isCxx(StringRef Extension) {
  return is_contained({".cpp", ".cxx", ".cc", ".C"}, Extension);
}

static bool isCuda(StringRef Extension) {
  return is_contained({".cu", ".cuh"}, Extension);
}

/// Returns hipcc's language for a file name; "none" leaves it to clang.
std::string Hipcc::guessedLanguage(StringRef Path) const {
  StringRef Extension = sys::path::extension(Path);
  if (Extension == ".c")
    return "c";
  bool IsHip = (isCxx(Extension) && CxxAsHip) ||
               (isCuda(Extension) && variable("HIP_COMPILE_CXX_AS_HIP") != "0");
  return IsHip ? "hip" : "none";
}

void Hipcc::setLanguage(StringRef Wanted) {
  if (Wanted == Language || UserSaysLanguage)
    return;
  Arguments.insert(Arguments.end(), {"-x", Wanted.str()});
  Language = Wanted.str();
}

void Hipcc::addInput(StringRef Path) {
  HasInput = true;
  setLanguage(guessedLanguage(Path));
  StringRef Extension = sys::path::extension(Path);
  bool IsHip = UserSaysLanguage ? Given.hasHipInput()
                                : Language == "hip" || Extension == ".hip" ||
                                      Extension == ".hipi";
  HasHip |= IsHip;
  HasOther |= !IsHip && (UserSaysLanguage || Language == "c" ||
                         isCxx(Extension) || isCuda(Extension) ||
                         is_contained({".s", ".S", ".ll", ".bc"}, Extension));
}

void Hipcc::readOption(const Arg &A) {
  const Option &O = A.getOption();
  auto Is = [&](auto... Ids) { return (O.matches(Ids) || ...); };
  CompileOnly |= Is(options::OPT_Action_Group, options::OPT_M, options::OPT_MM,
                    options::OPT_offload_device_only);
  HasTarget |= Is(options::OPT_offload_arch_EQ);
  if (Is(options::OPT_O_Group)) {
    HasLevel = true;
    O0 = Is(options::OPT_O0);
  }
  if (Is(options::OPT_x))
    UserSaysLanguage = true;
  if (StringRef(Given.args().getArgString(A.getIndex()))
          .starts_with("-fopenmp-targets="))
    CxxAsHip = false;
  if (Is(options::OPT_offload_arch_EQ, options::OPT_no_offload_arch_EQ))
    Targets.push_back(Arguments.size());
  append_range(Arguments, Given.spelling(A));
  if (Is(options::OPT_M)) // dependencies of the host's side
    Arguments.push_back("--offload-host-only");
}

void Hipcc::readArguments() {
  CxxAsHip = variable("HIP_COMPILE_CXX_AS_HIP") != "0";
  for (const Arg *A : Given.args()) {
    if (Given.fromConfig(*A))
      continue;
    StringRef Spelling = Given.args().getArgString(A->getIndex());
    if (A->getOption().matches(options::OPT__DASH_DASH)) {
      for (StringRef Path : A->getValues())
        addInput(Path);
      append_range(Behind, Given.spelling(*A));
    } else if (A->getOption().getKind() == Option::InputClass) {
      addInput(Spelling);
      Arguments.push_back(Spelling.str());
    } else if (!readOwnOption(Spelling)) {
      readOption(*A);
    }
  }
}

/// Returns the arguments. A build names its GPUs for all of its sources;
/// without a HIP source clang would warn that they are unused.
std::vector<std::string> Hipcc::takeArguments() {
  if (!HasHip)
    for (size_t Index : reverse(Targets)) {
      Arguments.insert(Arguments.begin() + Index + 1,
                       "--end-no-unused-arguments");
      Arguments.insert(Arguments.begin() + Index,
                       "--start-no-unused-arguments");
    }
  return std::move(Arguments);
}

//===----------------------------------------------------------------------===//
// What hipcc adds
//===----------------------------------------------------------------------===//

/// Returns the variables' device library directory; empty if not set.
std::string Hipcc::deviceLibs() const {
  std::string Named = variable("DEVICE_LIB_PATH");
  std::string Home = variable("HIP_ROCCLR_HOME");
  if (Named.empty() && !Home.empty() && sys::fs::exists(Home + "/lib/bitcode"))
    return Home + "/lib/bitcode";
  return Named;
}

std::vector<std::string> Hipcc::compileFlags() const {
  std::vector<std::string> Flags;
  if (!HasLevel)
    Flags.push_back("-O3");
  if (!FunctionCalls && !O0 && HasHip)
    for (const char *Flag :
         {"-amdgpu-early-inline-all=true", "-amdgpu-function-calls=false"})
      Flags.insert(Flags.end(), {"-mllvm", Flag});
  if (variable("HIP_CLANG_HCC_COMPAT_MODE") == "1")
    Flags.push_back("-D__HIP_HCC_COMPAT_MODE__=1");
  std::string Home = variable("HIP_ROCCLR_HOME"), Hsa = variable("HSA_PATH");
  for (const std::string &Root : {Home, Hsa})
    if (!Root.empty())
      Flags.insert(Flags.end(), {"-isystem", Root + "/include"});
  std::string Named = deviceLibs();
  if (!Named.empty() && HasHip)
    Flags.push_back("--rocm-device-lib-path=" + Named);
  return Flags;
}

std::vector<std::string> Hipcc::linkFlags() const {
  std::vector<std::string> Flags;
  if (!HasLevel && !compiles())
    Flags.push_back("-O3");
  std::string Home = variable("HIP_ROCCLR_HOME");
  std::string Libraries = variable("HIP_LIB_PATH");
  if (Libraries.empty() && !Home.empty())
    Libraries = Home + "/lib";
  if (!Libraries.empty())
    Flags.push_back("-L" + Libraries);
  Flags.push_back("--hip-link");
  return Flags;
}

/// Returns the GPUs to compile for if the command names none: those of a
/// variable, or of this machine. An empty list means clang's default.
Expected<std::vector<std::string>> Hipcc::defaultTargets() const {
  std::string Found = variable("HCC_AMDGPU_TARGET");
  if (Found.empty()) {
    // The tool is a script that prints errors if there is no GPU.
    std::string Tool = Hip.Root + "/bin/rocm_agent_enumerator";
    if (Hip.Root.empty() || !sys::fs::can_execute(Tool)) {
      ErrorOr<std::string> InPath =
          sys::findProgramByName("rocm_agent_enumerator");
      if (!InPath)
        return std::vector<std::string>();
      Tool = *InPath;
    }
    DriverSignals Signals;
    Job Ask;
    Ask.Arguments = {Tool, "-t", "GPU"};
    JobResult Answer;
    JobRunner Runner(Signals, 1, Workspace().environment());
    if (Error E = Runner.runOne(Ask).moveInto(Answer)) {
      consumeError(std::move(E)); // its interpreter may be missing
      return std::vector<std::string>();
    }
    if (Answer.succeeded())
      Found = Answer.Out;
  }
  std::vector<std::string> Flags;
  SmallVector<StringRef, 8> Names;
  SplitString(Found, Names, ", \t\r\n");
  for (StringRef Name : Names)
    if (Name != "gfx000") // denotes the CPU
      Flags.push_back(("--offload-arch=" + Name).str());
  return Flags;
}

/// Appends a variable's flags after the user's, like hipcc.
void Hipcc::appendVariable(const char *Name) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *, 16> Args;
  cl::TokenizeGNUCommandLine(variable(Name), Saver, Args);
  // clang warns of an -x without a following input.
  Expected<std::unique_ptr<CommandLine>> Parsed = CommandLine::parse(Args);
  if (!Parsed)
    consumeError(Parsed.takeError()); // runDriver() reports the error
  else if (!(*Parsed)->Inputs.empty())
    setLanguage("none");
  Arguments.insert(Arguments.end(), Args.begin(), Args.end());
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Error Hipcc::readPaths() {
  if (Error E = findClang(Given.Kpack.Clang).moveInto(Clang))
    return E;
  VersionTuple ClangVersion;
  if (Error E = clangVersion(Clang).moveInto(ClangVersion))
    return E;
  Hip = findHip(hipQuery(Given, Clang, ClangVersion.getMajor()),
                *vfs::getRealFileSystem());
  return Error::success();
}

void Hipcc::printPaths() const {
  std::string Named = deviceLibs();
  outs() << "HIP_PATH=" << Hip.Root << "\nHIP_PLATFORM=amd"
         << "\nHIP_COMPILER=clang\nHIP_RUNTIME=rocclr"
         << "\nROCM_PATH=" << Hip.Root
         << "\nHIP_ROCCLR_HOME=" << variable("HIP_ROCCLR_HOME")
         << "\nHIP_CLANG_PATH=" << sys::path::parent_path(Clang)
         << "\nHIP_INCLUDE_PATH=" << Hip.Root << "/include"
         << "\nHIP_LIB_PATH=" << variable("HIP_LIB_PATH")
         << "\nDEVICE_LIB_PATH=" << (Named.empty() ? Hip.DeviceLibs : Named)
         << '\n';
}

static void printWords(ArrayRef<std::string> Args) {
  for (const std::string &Word : Args) {
    outs() << ' ';
    sys::printArg(outs(), Word, /*Quote=*/false);
  }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

Expected<HipccCommand> Hipcc::translate() {
  if (Error E = checkPlatform())
    return std::move(E);
  if (StringRef(variable("HIPCC_VERBOSE")).getAsInteger(10, Verbose))
    Verbose = 0;
  if (Error E = readPaths())
    return std::move(E);
  readArguments();

  std::vector<std::string> Front;
  if (compiles() || CompileFlagsAsked)
    Front = compileFlags();
  std::vector<std::string> Link;
  if (links() || LinkFlagsAsked)
    Link = linkFlags();
  bool NeedsTarget = HasHip || (Given.isRdc() && links());
  if (NeedsTarget && !HasTarget &&
      !StringRef(variable("HIPCC_COMPILE_FLAGS_APPEND"))
           .contains("--offload-arch")) {
    std::vector<std::string> Targets;
    if (Error E = defaultTargets().moveInto(Targets))
      return std::move(E);
    append_range(Front, Targets);
  }

  HipccCommand Result;
  std::string HipVersion = Hip.Root.empty() ? "none found" : Hip.FullVersion;
  if (ShortVersion)
    outs() << HipVersion << '\n';
  else if (Version)
    outs() << "HIP version: " << HipVersion << '\n';
  if (CompileFlagsAsked)
    printWords(Front);
  if (LinkFlagsAsked)
    printWords(Link);
  Result.Answered = ShortVersion || CompileFlagsAsked || LinkFlagsAsked;
  if (Result.Answered)
    return Result;

  if (compiles())
    appendVariable("HIPCC_COMPILE_FLAGS_APPEND");
  if (links()) {
    append_range(Front, Link);
    appendVariable("HIPCC_LINK_FLAGS_APPEND");
  }
  if (!Front.empty()) {
    Result.Arguments.push_back("--start-no-unused-arguments");
    append_range(Result.Arguments, Front);
    Result.Arguments.push_back("--end-no-unused-arguments");
  }
  append_range(Result.Arguments, takeArguments());
  append_range(Result.Arguments, Behind);
  Result.Launcher = variable("HIP_CLANG_LAUNCHER");

  if (Verbose & 2)
    printPaths();
  if (Verbose & 4) {
    outs() << "hipcc-args:";
    printWords(Words);
    outs() << '\n';
  }
  if (Verbose & 1) {
    outs() << "hipcc-cmd: " << Clang;
    printWords(Result.Arguments);
    outs() << '\n';
  }
  return Result;
}

Expected<HipccCommand> translateHipcc(ArrayRef<const char *> Arguments) {
  if (Arguments.empty()) {
    outs() << "No Arguments passed, exiting ...\n";
    HipccCommand Nothing;
    Nothing.Answered = true;
    return Nothing;
  }
  Expected<std::unique_ptr<CommandLine>> Given = CommandLine::parse(Arguments);
  if (!Given)
    return Given.takeError();
  return Hipcc(**Given, {Arguments.begin(), Arguments.end()}).translate();
}

} // namespace kpack::driver
