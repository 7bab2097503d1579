//===- OutputReplay.h - ordered output of parallel compiles -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the output of captured compiles in the order of a serial driver.
// Diagnostics of clang's driver are taken from the dry run, which sees the
// whole command; repetitions by the compiles are dropped.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_OUTPUTREPLAY_H
#define KPACK_LIB_DRIVER_OUTPUTREPLAY_H

#include "BuildPlan.h"
#include "JobRunner.h"
#include "llvm/ADT/StringSet.h"

namespace kpack::driver {

class Replay {
public:
  explicit Replay(const Toolbox &Tools) : Tools(Tools) {}

  /// Prints the diagnostics in the output of clang's dry run.
  void dryRun(const JobResult &Result);
  /// Prints the output of a compile without the dry run's diagnostics.
  void compile(const JobResult &Result) const;

private:
  llvm::StringRef crashReport(llvm::StringRef Line) const;
  std::string keepCrashReport(llvm::StringRef Line,
                              llvm::StringRef Report) const;

  const Toolbox &Tools;
  llvm::StringSet<> Said;
};

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_OUTPUTREPLAY_H
