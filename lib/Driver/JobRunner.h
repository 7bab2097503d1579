//===- JobRunner.h - compiler commands side by side -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's rules for Support/Jobs.h: SIGINT, SIGQUIT, SIGTERM, SIGHUP
// and SIGPIPE are passed on to every child, and before run() returns, all that
// a child that was told to end has started has ended, too.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_JOBRUNNER_H
#define KPACK_LIB_DRIVER_JOBRUNNER_H

#include "Support/Jobs.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace kpack::driver {

/// The signals that end a program wait as long as it lives.
class DriverSignals : public SignalWatch {
public:
  DriverSignals();
};

/// Receives signals in run(); everything between runs is safe from being cut in
/// half.
class JobRunner {
public:
  /// \p Environment is what the children get, "NAME=value".
  JobRunner(SignalWatch &Signals, unsigned MaxParallel,
            std::vector<std::string> Environment);

  /// Results in the order of \p Jobs. Errors: a program that cannot start.
  llvm::Expected<std::vector<JobResult>> run(std::vector<Job> Jobs);
  llvm::Expected<JobResult> runOne(const Job &J);

private:
  SignalWatch &Signals;
  unsigned MaxParallel;
  std::vector<std::string> Environment;
};

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_JOBRUNNER_H
