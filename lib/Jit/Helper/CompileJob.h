//===- CompileJob.h - where the compile helper's commands run ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary directory, the environment of the commands that write into it,
// and how their failures are told. CompileHelper.cpp and Pch.cpp work here.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_COMPILEJOB_H
#define KPACK_LIB_JIT_HELPER_COMPILEJOB_H

#include "CommandRunner.h"

#include "Jit/Service/CompilePlan.h"
#include "Support/Files.h"

namespace kpack::jit {

/// Mode 0700; removed with everything in it by the destructor.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string Path; ///< empty: none could be made
};

Status writeFile(const std::string &Path, std::string_view Bytes);

class CompileJob {
public:
  CompileJob(const CompileRequest &Request, CommandRunner &Runner,
             std::string Folder);

  /// All of them side by side where there is memory for it, each with the file
  /// of \p Inputs that has its number, if any, as its standard input. The first
  /// that fails is the error, in the compiler's words.
  Result<std::vector<JobResult>> run(const std::vector<Arguments> &All,
                                     const std::string &Directory,
                                     const Arguments &Inputs = {});

  /// Waits for a place among this user's compiles, but not for ever: slower is
  /// better than stuck. Errors: IoError, interrupted.
  Result<UniqueFd> waitForSlot();

  /// Whether the whole request is to end, and no command is to be tried again.
  bool stopped() const { return Stopped; }

  const CompileRequest &Request;
  const std::string Folder;
  std::vector<std::string> Environment;
  std::string Log; ///< what successful commands had to say
  /// Processor time of what nobody could have waited less for: of commands side
  /// by side, the longest.
  double CriticalSeconds = 0;

private:
  Status failure(const Arguments &Args, const JobResult &Outcome) const;

  CommandRunner &Runner;
  bool Stopped = false;
};

void addOnce(std::vector<std::string> &Files, std::string File);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMPILEJOB_H
