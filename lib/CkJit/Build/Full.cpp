//===- Full.cpp - project builds with ck-jit-hipcc ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only the environment directs a build to ck-jit-hipcc: ROCM_PATH, PATH and, if
// the user has set it, CXX name the made-up ROCm (FakeRocm.cpp), and CK_JIT_
// variables carry the settings of the link step through the build. The commands
// are found first, so that a wrong folder is reported before the environment
// changes. The directing variables are set for the commands alone, because an
// installation links once more in this process, and must do so like a later
// 'ck-jit build quick'.
//
// All commands run in parallel, and a failure stops the others. The report
// therefore looks first for a command that was not ended by SIGTERM. A build
// that succeeds without linking a library with blobs is an error, too: its
// names matched no pattern.
//
//===----------------------------------------------------------------------===//
#include "Full.h"
#include "BuildProgress.h"
#include "CkJit/Intercept/Record.h"
#include "FakeRocm.h"
#include "Library.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

/// In an aiter checkout; builds the attention libraries without torch.
static constexpr StringLiteral CompileScript = "op_tests/cpp/mha/compile.py";

/// Sets the environment of children. The variables that direct a build to our
/// compilers are set for \p Commands alone: links after the build use the
/// user's variables, as 'ck-jit build quick' does.
static Error setEnvironment(BuildSettings &Settings, const FullOptions &Options,
                            MutableArrayRef<BuildCommand> Commands) {
  auto Lead = [&](StringRef Name, const Twine &Value) {
    for (BuildCommand &C : Commands)
      C.Variables.push_back((Name + "=" + Value).str());
  };
  Expected<std::string> Rocm = findRocm(Options.RocmPath);
  if (!Rocm)
    return Rocm.takeError();
  Settings.RealRocm = *Rocm;
  Settings.MadeUpRocm = Settings.TmpDir + "/rocm";
  if (Error E = makeFakeRocm(Settings.MadeUpRocm, Settings.RealRocm))
    return E;
  setVariable("CK_JIT_BUILD_DIR", Settings.TmpDir);
  setVariable("CK_JIT_FAKE_ROCM", Settings.MadeUpRocm);
  setVariable("CK_JIT_REAL_ROCM", Settings.RealRocm);
  if (variable("CK_JIT_REAL_HIPCC").empty())
    setVariable("CK_JIT_REAL_HIPCC", Settings.RealRocm + "/bin/hipcc");
  for (const char *Name : {"ROCM_PATH", "ROCM_HOME"})
    Lead(Name, Settings.MadeUpRocm);
  if (!variable("HIP_PATH").empty())
    Lead("HIP_PATH", Settings.MadeUpRocm);
  std::string Cxx = variable("CXX"), Folder = Settings.MadeUpRocm + "/bin";
  if (!Cxx.empty()) {
    ErrorOr<std::string> Real = sys::findProgramByName(Cxx);
    if (!Real)
      return objectError("CXX=" + Cxx, "no program of that name; set it to a "
                                       "compiler, or not at all");
    setVariable("CK_JIT_REAL_CXX", *Real);
    Lead("CXX", Folder + "/c++");
  }
  Lead("PATH", Folder + ":" + variable("PATH"));
  setVariable("CK_JIT_AITER_DIR", Settings.Project);
  setVariable("CK_JIT_SEAM", Settings.Seam ? "1" : "0");
  setVariable("CK_JIT_TABLE", join(Settings.Table, ","));
  setVariable("CK_JIT_CLANG", Settings.Clang);
  // Variables for aiter's build.
  if (!Options.GpuArchs.empty())
    setVariable("GPU_ARCHS", Options.GpuArchs);
  setVariable("CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT", Options.Bf16);
  if (variable("AITER_REBUILD").empty())
    setVariable("AITER_REBUILD", "1");
  if (variable("AITER_LOG_MORE").empty())
    setVariable("AITER_LOG_MORE", "1");
  return Error::success();
}

static Expected<std::vector<BuildCommand>>
makeCommands(const BuildSettings &Settings, const FullOptions &Options) {
  std::vector<BuildCommand> Commands;
  auto Add = [&](std::vector<std::string> Arguments,
                 const std::string &Directory, const std::string &Name) {
    Commands.push_back(
        {std::move(Arguments), Directory,
         Settings.Verbose ? "" : Settings.TmpDir + "/build-" + Name + ".log"});
  };
  for (size_t I = 0; I != Options.Commands.size(); ++I)
    Add({"sh", "-c", Options.Commands[I]}, Settings.Project,
        std::to_string(I + 1));
  if (!Commands.empty())
    return Commands;
  std::string Script = Settings.Project + "/" + CompileScript.str();
  if (!sys::fs::exists(Script))
    return objectError(Script, "not found; give aiter's checkout with "
                               "--aiter-dir, or the build with "
                               "--build-command");
  for (const char *Api : {"fwd", "bwd"})
    Add({Options.Python, Script, "--api", Api},
        sys::path::parent_path(Script).str(), Api);
  return Commands;
}

/// Returns the last lines of the log of \p Command.
static std::string endOfLog(const BuildCommand &Command) {
  constexpr size_t Shown = 8192;
  if (Command.LogFile.empty())
    return "its own words are above";
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFile(Command.LogFile);
  std::string Text = "all of its output is in " + Command.LogFile;
  if (!File)
    return Text;
  StringRef End = (*File)->getBuffer().rtrim().take_back(Shown);
  if (End.size() == Shown)
    End = End.drop_front(End.find('\n') + 1);
  return Text + ", the end of it:\n" + End.str();
}

Error ckjit::runFullBuild(HeldSignals &Signals, BuildSettings &Settings,
                          const FullOptions &Options, raw_ostream &Log) {
  Expected<std::vector<BuildCommand>> Commands =
      makeCommands(Settings, Options);
  if (!Commands)
    return Commands.takeError();
  if (Error E = setEnvironment(Settings, Options, *Commands))
    return E;
  Progress Shown(Log, Settings.TmpDir + "/" + RecordFileName, Settings.TmpDir);
  Error Failure = runCommands(Signals, *Commands, Commands->size(),
                              [&] { Shown.update(); });
  Shown.finish();
  if (Error E = handleErrors(std::move(Failure), [](const CommandError &C) {
        return objectError(join(C.Command.Words, " "),
                           "failed with exit code " + Twine(C.Code) + "; " +
                               endOfLog(C.Command));
      }))
    return E;
  if (libraryFolders(Settings.TmpDir).empty())
    return objectError(
        Settings.TmpDir,
        "the build has linked no library with blobs; give the names of its "
        "libraries, dispatchers and folders of blobs, see 'ck-jit build full "
        "--help'");
  return Error::success();
}
