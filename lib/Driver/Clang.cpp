//===- Clang.cpp - the clang++ that the driver runs -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exec() suffices unless the command line, with response files expanded, is
// longer than the system allows.
//
//===----------------------------------------------------------------------===//

#include "Clang.h"
#include "JobRunner.h"
#include "ToolSupport/Errors.h"
#include "Workspace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

using namespace llvm;
using kpack::objectError;

namespace kpack::driver {

/// Returns the clang++ that the user named, by its path or directory.
static Expected<std::string> clangAt(StringRef Path, StringRef Origin) {
  SmallString<128> Program(Path);
  if (sys::fs::is_directory(Program))
    sys::path::append(Program, "clang++");
  if (!sys::path::has_parent_path(Program))
    if (ErrorOr<std::string> Found = sys::findProgramByName(Program))
      Program = *Found;
  if (!sys::fs::can_execute(Program))
    return objectError(Program, "no program there; " + Origin +
                                    " must name a clang++ or its directory");
  // It would start itself endlessly.
  if (sys::fs::equivalent(Program, "/proc/self/exe"))
    return objectError(Program, "is this program itself; " + Origin +
                                    " must name the clang++ to drive");
  return std::string(Program);
}

Expected<std::string> findClang(StringRef Asked) {
  if (!Asked.empty())
    return clangAt(Asked, "--kpack-clang=");
  if (const char *Path = std::getenv("HIP_CLANG_PATH"); Path && *Path)
    return clangAt(Path, "HIP_CLANG_PATH");
  if (!sys::fs::can_execute(KPACK_DEFAULT_CLANG))
    return objectError(KPACK_DEFAULT_CLANG,
                       "no program there; name a clang++ with --kpack-clang= "
                       "or HIP_CLANG_PATH");
  return std::string(KPACK_DEFAULT_CLANG);
}

Expected<ClangInstallation> clangInstallation(StringRef Clang) {
  ClangInstallation Found;
  Found.Folder = sys::path::parent_path(Clang).str();
  if (Clang == KPACK_DEFAULT_CLANG) {
    Found.Version = VersionTuple(LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR);
    return Found;
  }
  DriverSignals Signals;
  Job J;
  J.Arguments = {Clang.str(), "--version"};
  JobRunner Runner(Signals, 1, Workspace().environment());
  JobResult Result;
  if (Error E = Runner.runOne(J).moveInto(Result))
    return std::move(E);
  // "clang version 22.1.8", possibly between a vendor's name and more text.
  StringRef Text = Result.Out;
  Text = Text.take_until([](char C) { return C == '\n'; });
  if (size_t Offset = Text.find("clang version ");
      Offset == StringRef::npos ||
      Found.Version.tryParse(
          Text.substr(Offset + strlen("clang version ")).take_while([](char C) {
            return isDigit(C) || C == '.';
          })))
    return objectError(Clang, "does not say that it is a clang; name a clang++ "
                              "with --kpack-clang= or HIP_CLANG_PATH");
  for (StringRef Line : split(Result.Out, '\n'))
    if (Line.consume_front("InstalledDir: "))
      Found.Folder = Line.trim().str();
  Found.Text = std::move(Result.Out);
  return Found;
}

Expected<VersionTuple> clangVersion(StringRef Clang) {
  Expected<ClangInstallation> Found = clangInstallation(Clang);
  if (!Found)
    return Found.takeError();
  return Found->Version;
}

/// Returns only on failure.
static Error exec(StringRef Clang, std::vector<std::string> Args) {
  Args.insert(Args.begin(), Clang.str());
  outs().flush();
  becomeProgram(Args);
  return objectError(Clang, "cannot be run: " + sys::StrError(errno) +
                                "; name a clang++ with --kpack-clang= or "
                                "HIP_CLANG_PATH");
}

Error becomeClang(StringRef Clang, ArrayRef<const char *> Arguments) {
  return exec(Clang, {Arguments.begin(), Arguments.end()});
}

Expected<int> becomeClang(StringRef Clang, std::vector<std::string> Arguments) {
  std::vector<StringRef> View(Arguments.begin(), Arguments.end());
  if (sys::commandLineFitsWithinSystemLimits(Clang, View))
    return exec(Clang, std::move(Arguments));
  int Signal = 0;
  int ExitCode = 1;
  {
    DriverSignals Signals; // outlives the directory
    Workspace Work;
    if (Error E = Work.create())
      return std::move(E);
    Job J;
    J.takeOurStreams();
    Arguments.insert(Arguments.begin(), Clang.str());
    if (Error E = Work.shorten(std::move(Arguments)).moveInto(J.Arguments))
      return std::move(E);
    // The environment is unchanged, TMPDIR included.
    JobRunner Runner(Signals, 1, Workspace().environment());
    JobResult Result;
    if (Error E = Runner.runOne(J).moveInto(Result))
      return std::move(E);
    ExitCode = Result.Code;
    Signal = Signals.caught();
    if (Signal == 0 && Result.How == JobResult::State::Signaled)
      Signal = Result.Code;
  }
  if (Signal != 0)
    ::raise(Signal);
  return ExitCode;
}

} // namespace kpack::driver
