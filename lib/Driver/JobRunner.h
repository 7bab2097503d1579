//===- JobRunner.h - parallel compiler processes ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's rules for Support/Jobs.h: SIGINT, SIGQUIT, SIGTERM, SIGHUP and
// SIGPIPE are passed on to every child. Before run() returns after a signal,
// all descendants of the stopped children have ended.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_JOBRUNNER_H
#define KPACK_LIB_DRIVER_JOBRUNNER_H

#include "Support/Jobs.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace kpack::driver {

/// Blocks the signals that end a program while the object lives.
class DriverSignals : public SignalWatch {
public:
  DriverSignals();
};

/// Receives signals in run() only; no signal interrupts the code between runs.
class JobRunner {
public:
  /// \p Environment is passed to the children, as "NAME=value".
  JobRunner(SignalWatch &Signals, unsigned MaxParallel,
            std::vector<std::string> Environment);

  /// Returns results in the order of \p Jobs. Fails if a program cannot start.
  llvm::Expected<std::vector<JobResult>> run(std::vector<Job> Jobs);
  llvm::Expected<JobResult> runOne(const Job &J);

private:
  SignalWatch &Signals;
  unsigned MaxParallel;
  std::vector<std::string> Environment;
};

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_JOBRUNNER_H
