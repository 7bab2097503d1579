//===- FindingReport.h - tolerated errors of kernels ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KPACK_SOFTGPU_OUT_OF_BOUNDS=hardware: prints a line to stderr at the first
// occurrence for each instruction of each kernel, and one with its count at the
// end of the process. A library's kernel may be launched thousands of times.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_FINDINGREPORT_H
#define KPACK_LIB_SOFTGPU_KFD_FINDINGREPORT_H

#include "SoftGpu/Machine/Machine.h"

#include <map>
#include <mutex>

namespace kpack::softgpu {

/// All members are thread-safe.
class FindingReport {
public:
  /// Adds the findings of one launch of \p Kernel.
  void add(const std::string &Kernel, const std::vector<Finding> &Found);

  /// Prints the counts.
  void finish();

private:
  struct Total {
    Fault Example;
    uint64_t Accesses = 0, Launches = 0;
  };

  std::mutex Lock;
  /// By kernel name and offset of the instruction.
  std::map<std::pair<std::string, uint64_t>, Total> Totals;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_FINDINGREPORT_H
