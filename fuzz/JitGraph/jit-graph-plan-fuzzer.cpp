//===- jit-graph-plan-fuzzer.cpp - hostile plans --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan that is taken must be the same when it is written and read again. The
// magic is put in front, so that what lies behind it is reached.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/PlanFile.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Bytes = "KPGRAPH1";
  Bytes.append(reinterpret_cast<const char *>(Data), Size);
  Result<GraphPlan> Read = readPlan(Bytes, "plan");
  if (!Read) {
    check(!Read.status().message().empty());
    return 0;
  }
  std::string Once = writePlan(*Read);
  Result<GraphPlan> Again = readPlan(Once, "plan");
  check(Again.ok() && writePlan(*Again) == Once);
  return 0;
}
