//===- CompileJob.h - environment of the helper's commands ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary directory, the environment of the commands that write into it,
// and the messages of their failures. Used by CompileHelper.cpp and Pch.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_COMPILEJOB_H
#define KPACK_LIB_JIT_HELPER_COMPILEJOB_H

#include "CommandRunner.h"

#include "Jit/Service/CompilePlan.h"
#include "Support/Files.h"

namespace kpack::jit {

/// A directory of mode 0700; the destructor removes it with its content.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string Path; ///< empty if none could be made
};

Status writeFile(const std::string &Path, std::string_view Bytes);

class CompileJob {
public:
  CompileJob(const CompileRequest &Request, CommandRunner &Runner,
             std::string Folder);

  /// Runs all commands in parallel if there is memory, each with the file of
  /// \p Inputs with its index, if any, as standard input. The error is that of
  /// the first that fails, with the compiler's output.
  Result<std::vector<JobResult>> run(const std::vector<Arguments> &All,
                                     const std::string &Directory,
                                     const Arguments &Inputs = {});

  /// Waits for a slot among this user's compiles, up to a limit: slower is
  /// better than stuck. Errors: IoError if interrupted.
  Result<UniqueFd> waitForSlot();

  /// Returns true if the request is cancelled, so that no command is retried.
  bool stopped() const { return Stopped; }

  const CompileRequest &Request;
  const std::string Folder;
  std::vector<std::string> Environment;
  std::string Log; ///< output of successful commands
  /// Processor time on the critical path: of parallel commands, the longest.
  double CriticalSeconds = 0;

private:
  Status failure(const Arguments &Args, const JobResult &Outcome) const;

  CommandRunner &Runner;
  bool Stopped = false;
};

void addOnce(std::vector<std::string> &Files, std::string File);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMPILEJOB_H
