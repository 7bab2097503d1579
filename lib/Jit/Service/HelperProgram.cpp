//===- HelperProgram.cpp - start of a helper program ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The helper's file, environment and question.
//
//===----------------------------------------------------------------------===//
#include "HelperProgram.h"

#include "Support/ErrorText.h"
#include "Support/Files.h"
#include "Support/SafePath.h"
#include "Support/SealedFile.h"
#include "Support/SecureMode.h"
#include "Support/SignalMask.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

UniqueFd jit::getFile(const Message &Question) {
  UniqueFd File = memoryFile("kpack-jit-request");
  if (File && !writeAll(File.get(), Question.encode()))
    return UniqueFd();
  if (File)
    ::lseek(File.get(), 0, SEEK_SET);
  return File;
}

std::vector<std::string> jit::environmentOfHelper() {
  std::vector<std::string> Variables;
  for (char **Variable = environ; *Variable; ++Variable)
    if (std::strncmp(*Variable, "LD_PRELOAD=", 11) != 0)
      Variables.push_back(*Variable);
  return Variables;
}

Status jit::cannotRun(const std::string &Program, int Error) {
  return Status(Error == ENOENT || Error == EACCES ? StatusCode::FileNotFound
                                                   : StatusCode::IoError,
                Program + ": cannot be run: " +
                    errorText(Error, "it is installed with kpack's tools"));
}

Result<OpenHelper> jit::openHelper(const std::string &Program) {
  OpenHelper Helper;
  Helper.File =
      aboveStandard(UniqueFd(::open(Program.c_str(), O_PATH | O_CLOEXEC)));
  struct stat Info;
  if (!Helper.File || ::fstat(Helper.File.get(), &Info) != 0)
    return cannotRun(Program, errno);
  if (!S_ISREG(Info.st_mode))
    return cannotRun(Program, EACCES);
  if (Info.st_mode & S_IWOTH)
    return Status(StatusCode::InvalidArgument,
                  Program + ": others may write to it, and so choose what is "
                            "run; chmod go-w it");
  Helper.Path = makeSafePath(Helper.File.get(), Program);
  if (!Helper.Path.empty())
    return Helper;
  Helper.Path = "/proc/self/fd/" + std::to_string(Helper.File.get());
  char Magic[2] = {};
  UniqueFd Content(::open(Helper.Path.c_str(), O_RDONLY | O_CLOEXEC));
  Helper.IsInherited = Content && ::pread(Content.get(), Magic, 2, 0) == 2 &&
                       Magic[0] == '#' && Magic[1] == '!';
  return Helper;
}

Status jit::checkForHelpers(const std::string &Program) {
  // A compiler reads and writes in far too many places to run with rights that
  // its user lacks.
  if (!isSecureMode())
    return Status::success();
  return Status(StatusCode::KernelNotFound,
                Program + ": is not run, because this program has more rights "
                          "than its user; prebuild the kernel ('ck-jit "
                          "prebuild build') into a cache that belongs to "
                          "root or to the program's owner");
}

ProcessOptions jit::optionsFor(const OpenHelper &Helper,
                               const std::string &Program) {
  ProcessOptions Options;
  Options.Arguments = {Program};
  Options.File = Helper.Path;
  Options.Environment = environmentOfHelper();
  if (Helper.IsInherited)
    Options.Kept = Helper.File.get();
  Options.Mask = signalSet({});
  Options.Defaults = {SIGCHLD, SIGPIPE};
  return Options;
}
