//===- Replay.h - what the user sees of the jobs ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output of captured compiles, printed in the order of a serial driver.
// What clang's driver says is said by the dry run, which sees the whole
// command; a compile that repeats it is not heard.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_REPLAY_H
#define KPACK_LIB_DRIVER_REPLAY_H

#include "JobRunner.h"
#include "Plan.h"
#include "llvm/ADT/StringSet.h"

namespace kpack::driver {

class Replay {
public:
  explicit Replay(const Toolbox &Tools) : Tools(Tools) {}

  /// The diagnostics in the output of clang's dry run.
  void dryRun(const JobResult &Result);
  /// All output of a compile but what the dry run has said.
  void compile(const JobResult &Result) const;

private:
  llvm::StringRef crashReport(llvm::StringRef Line) const;
  std::string keepCrashReport(llvm::StringRef Line,
                              llvm::StringRef Report) const;

  const Toolbox &Tools;
  llvm::StringSet<> Said;
};

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_REPLAY_H
