//===- Findings.h - what kernels did and hardware lets pass -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KPACK_SOFTGPU_OUT_OF_BOUNDS=hardware: a line on stderr for each instruction
// of each kernel when it is found, and one with its count at the end of the
// process. A library's kernel may be launched thousands of times.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_FINDINGS_H
#define KPACK_LIB_SOFTGPU_KFD_FINDINGS_H

#include "SoftGpu/Machine/Machine.h"

#include <map>
#include <mutex>

namespace kpack::softgpu {

/// All members are thread-safe.
class FindingReport {
public:
  /// \p Found in one launch of \p Kernel.
  void add(const std::string &Kernel, const std::vector<Finding> &Found);

  /// Says the counts.
  void finish();

private:
  struct Total {
    Fault Example;
    uint64_t Accesses = 0, Launches = 0;
  };

  std::mutex Lock;
  /// By kernel and offset of the instruction.
  std::map<std::pair<std::string, uint64_t>, Total> Totals;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_FINDINGS_H
