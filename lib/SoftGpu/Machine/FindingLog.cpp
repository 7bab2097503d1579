//===- FindingLog.cpp - errors that do not end a kernel -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The example is that of the first workgroup in the grid, so that it does not
// depend on the speed of threads.
//
//===----------------------------------------------------------------------===//
#include "FindingLog.h"

using namespace kpack::softgpu;

/// True if workgroup \p A comes before \p B in the grid.
static bool precedes(const std::array<uint32_t, 3> &A,
                     const std::array<uint32_t, 3> &B) {
  return std::tie(A[2], A[1], A[0]) < std::tie(B[2], B[1], B[0]);
}

void FindingLog::add(const Wave &W, Fault::Kind Kind, const Instruction &I,
                     const llvm::Twine &Detail, int Lane, uint64_t Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  Finding &Known = ByPc[I.Address];
  if (Known.Count++ == 0 || precedes(W.Group->Id, Known.First.Workgroup))
    Known.First = W.describe(Kind, I, Detail, Lane, Address);
}

std::vector<Finding> FindingLog::take() {
  std::lock_guard<std::mutex> Guard(Lock);
  std::vector<Finding> Result;
  for (auto &[Pc, Found] : ByPc)
    Result.push_back(std::move(Found));
  ByPc.clear();
  return Result;
}
