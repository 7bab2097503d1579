//===- Intercept.cpp - ck-jit-hipcc, the drop-in compiler -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at Interceptor::run. If another program has to do the work,
// this one executes it: exit code, signals and output are then that program's,
// and no process waits. Only the dependencies of a dispatcher need a child,
// since the stub has to be written after them.
//
// A stub is made in this order: the record's line (if CK_JIT_BUILD_DIR names a
// folder for it), the dependency file, the object. Build systems take the
// object as the sign of completion, so it is last; an interrupted run is
// repeated, and readers replace the earlier line by the later one. SIGXFSZ is
// ignored, so that a file size limit causes an error message instead of the end
// of the process.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Intercept/Intercept.h"

#include "RealCompiler.h"

#include "CkJit/Intercept/Classify.h"
#include "CkJit/Intercept/Record.h"
#include "CkJit/Intercept/Stub.h"
#include "Support/Process.h"
#include "kpack/Support/OutputFile.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;

static int fail(const std::string &Message) {
  std::fprintf(stderr, "ck-jit-hipcc: error: %s\n", Message.c_str());
  return 1;
}

static int cannotRun(const std::string &Program) {
  return fail(Program + ": cannot be run: " + std::strerror(errno) +
              "; check its permissions");
}

/// Executes the program \p Command[0] in this process.
static int become(const std::vector<std::string> &Command) {
  becomeProgram(Command);
  return cannotRun(Command[0]);
}

/// Returns the exit code as a shell does.
static int runAndWait(std::vector<std::string> Command) {
  // A parent may have set it to be ignored; wait() would then fail.
  std::signal(SIGCHLD, SIG_DFL);
  ProcessOptions Options;
  Options.Arguments = std::move(Command);
  Process Compiler = Process::start(Options);
  return Compiler ? Compiler.wait()->Code : cannotRun(Options.Arguments[0]);
}

namespace {

/// One run of the program.
class Interceptor {
public:
  Interceptor(std::string Compiler, std::vector<std::string> Given,
              std::vector<std::string> Command)
      : Compiler(std::move(Compiler)), Given(std::move(Given)),
        Words(std::move(Command)), Arguments(parseArguments(this->Words)) {}

  int run();

private:
  int passThrough();
  int link();
  int stub(ManifestEntry Source);
  int dependencies(const ManifestEntry &Source);

  std::string Compiler;
  std::vector<std::string> Given; ///< the original arguments
  std::vector<std::string> Words; ///< with response files expanded
  std::vector<Argument> Arguments;
  std::string Directory, BuildDir;
};

} // namespace

int Interceptor::passThrough() {
  restoreEnvironment();
  std::vector<std::string> Command{Compiler};
  Command.insert(Command.end(), Given.begin(), Given.end());
  return become(Command);
}

/// Returns the default folder: beside the library, so that libraries of the
/// same name in different builds have separate folders.
static std::string folderBeside(const std::string &Library) {
  return Library.substr(0, Library.rfind('/')) + "/ck_jit_build";
}

int Interceptor::link() {
  for (const Argument &A : Arguments)
    if (BuildDir.empty() && (A.Name == "-o" || A.Name == "--output"))
      BuildDir = folderBeside(absolutePath(A.Value, Directory));
  std::vector<std::string> Command{
      ownFolder() + "/ck-jit",  "build", "link", "--tmp-dir=" + BuildDir,
      "--compiler=" + Compiler, "--"};
  Command.insert(Command.end(), Given.begin(), Given.end());
  restoreEnvironment();
  return become(Command);
}

/// The link rewrites a dispatcher and reads its headers, so the build system
/// must know them. A blob's headers are read when it is compiled.
int Interceptor::dependencies(const ManifestEntry &Source) {
  DependencyFile File = dependencyFile(Arguments, Source.Output);
  if (File.Path.empty())
    return 0;
  if (!Source.IsDispatcher) {
    Status S =
        OutputFile::write(File.Path, dependencyRule(File, Source.Source));
    return S.ok() ? 0 : fail(S.message());
  }
  std::vector<std::string> Command{Compiler};
  bool IsHip = false;
  for (const Argument &A : Arguments) {
    if (A.Name == "-c" || A.Name == "-o" || A.Name == "--output" ||
        A.Name == "-MF")
      continue;
    IsHip |= A.Name == "--offload-arch" || (A.Name == "-x" && A.Value == "hip");
    if (A.Name == "-MD" || A.Name == "-MMD")
      Command.push_back(A.Name == "-MD" ? "-M" : "-MM");
    else
      Command.insert(Command.end(), Words.begin() + long(A.First),
                     Words.begin() + long(A.First + A.Count));
  }
  Command.insert(Command.end(), {"-w", "-MF", File.Path});
  if (IsHip)
    Command.push_back("--offload-host-only");
  if (!File.HasTarget)
    Command.insert(Command.end(), {"-MT", File.Target});
  return runAndWait(std::move(Command));
}

int Interceptor::stub(ManifestEntry Source) {
  Source.Directory = Directory;
  Source.Words = Words;
  Source.Compiler = Compiler;
  Result<std::string> Line = recordLine(Source);
  if (!Line)
    return fail(Line.status().message());
  if (!BuildDir.empty())
    if (Status S = appendRecord(BuildDir, *Line); !S.ok())
      return fail(S.message());
  if (int Code = dependencies(Source))
    return Code;
  // Write the stub last: its presence means completion.
  Status Written = OutputFile::write(Source.Output, stubObject(*Line));
  return Written.ok() ? 0 : fail(Written.message());
}

int Interceptor::run() {
  std::error_code Failed;
  Directory = std::filesystem::current_path(Failed);
  if (Failed || isCalledBack())
    return passThrough();
  Result<Invocation> Found =
      classify(Arguments, Directory, Patterns::fromEnvironment());
  if (!Found)
    return fail(Found.status().message());
  // Kernels that were not compiled must not be missing in a library.
  auto IsStub = [](const Argument &A) {
    return A.isInput() && looksLikeStub(A.Value);
  };
  if (Found->Kind == InvocationKind::OtherLink)
    Found->Kind = std::any_of(Arguments.begin(), Arguments.end(), IsStub)
                      ? InvocationKind::Link
                      : InvocationKind::PassThrough;
  if (Found->Kind == InvocationKind::PassThrough)
    return passThrough();
  // The compiler reports a missing source.
  for (const ManifestEntry &Source : Found->Sources)
    if (::access(Source.Source.c_str(), R_OK) != 0)
      return passThrough();
  if (const char *Folder = std::getenv("CK_JIT_BUILD_DIR"); Folder && *Folder)
    BuildDir = absolutePath(Folder, Directory);
  if (Found->Kind == InvocationKind::Link)
    return link();
  for (const ManifestEntry &Source : Found->Sources)
    if (int Code = stub(Source))
      return Code;
  return 0;
}

/// True for `ck-jit-hipcc --version`. By the name hipcc or c++ the program
/// answers as the compiler that it replaces.
static bool asksOwnVersion(const std::string &Program,
                           const std::vector<std::string> &Given) {
  return fileName(Program).substr(0, 7) == "ck-jit-" &&
         std::find(Given.begin(), Given.end(), "--version") != Given.end();
}

static int archive(const std::string &Tool, std::vector<std::string> Command) {
  Result<std::string> Program = realArchiver(Tool);
  if (!Program)
    return fail(Program.status().message());
  Command.insert(Command.begin(), std::move(*Program));
  return become(Command);
}

int ckjit::interceptMain(int Argc, char **Argv) {
  std::signal(SIGXFSZ, SIG_IGN);
  std::vector<std::string> Given(Argv + (Argc > 0), Argv + Argc);
  std::string Program = Argc > 0 ? Argv[0] : "";
  if (std::string Tool = findArchiver(Program); !Tool.empty())
    return archive(Tool, std::move(Given));
  bool AsksVersion = asksOwnVersion(Program, Given);
  if (AsksVersion)
    std::puts("ck-jit-hipcc " KPACK_VERSION ", in front of:");
  std::fflush(stdout);
  // To print its version, hipcc searches GPUs in a script that prints much if
  // there is none; with a given target it does not.
  if (AsksVersion)
    ::setenv("HCC_AMDGPU_TARGET", "gfx000", /*overwrite=*/0);
  Result<std::string> Compiler = realCompiler(Program);
  if (!Compiler)
    return fail(Compiler.status().message());
  Result<std::vector<std::string>> Command = expandResponseFiles(Given);
  if (!Command)
    return fail(Command.status().message());
  return Interceptor(std::move(*Compiler), std::move(Given),
                     std::move(*Command))
      .run();
}
