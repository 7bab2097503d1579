//===- FindingLog.h - errors that do not end a kernel -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts, for each instruction of a dispatch, errors that would be faults but
// are executed as on hardware at the user's request
// (MachineOptions::AllowOutOfBounds). All workers of the dispatch share one
// log. Memory.cpp fills it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_FINDINGLOG_H
#define KPACK_LIB_SOFTGPU_MACHINE_FINDINGLOG_H

#include "Wave.h"

#include <map>
#include <mutex>

namespace kpack::softgpu {

/// All members are thread-safe.
class FindingLog {
public:
  /// The arguments are those of Wave::fault().
  void add(const Wave &W, Fault::Kind Kind, const Instruction &I,
           const llvm::Twine &Detail, int Lane, uint64_t Address);

  /// Returns the findings in the order of their instructions and clears the
  /// log.
  std::vector<Finding> take();

private:
  std::mutex Lock;
  std::map<uint64_t, Finding> ByPc;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_FINDINGLOG_H
