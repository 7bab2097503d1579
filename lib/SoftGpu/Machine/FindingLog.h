//===- FindingLog.h - errors that a kernel survives -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What would be a fault, but is done as hardware does it because the user asked
// for that (MachineOptions::AllowOutOfBounds): counted for each instruction of
// a dispatch. All workers of the dispatch share one log. Memory.cpp fills it.
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
  /// Arguments as those of Wave::fault().
  void add(const Wave &W, Fault::Kind Kind, const Instruction &I,
           const llvm::Twine &Detail, int Lane, uint64_t Address);

  /// In the order of their instructions. Leaves the log empty.
  std::vector<Finding> take();

private:
  std::mutex Lock;
  std::map<uint64_t, Finding> ByPc;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_FINDINGLOG_H
