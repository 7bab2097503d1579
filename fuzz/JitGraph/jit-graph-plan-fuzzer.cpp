//===- jit-graph-plan-fuzzer.cpp - fuzzer of the reader of plan files -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan that is taken must be the same when it is written and read again. The
// magic of each version is put in front, so that the parser is reached. Inputs
// have no checksum, and are read as plans of before there was one.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Graph/PlanFile.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

static void readAs(const char *Magic, const uint8_t *Data, size_t Size) {
  std::string Bytes = Magic;
  Bytes.append(reinterpret_cast<const char *>(Data), Size);
  Result<GraphPlan> Read = readPlan(Bytes, "plan");
  if (!Read) {
    check(!Read.status().message().empty());
    return;
  }
  std::string Once = writePlan(*Read);
  Result<GraphPlan> Again = readPlan(Once, "plan");
  check(Again.ok() && writePlan(*Again) == Once);
  check(Once.substr(0, 8) == Magic);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  readAs("KPGRAPH1", Data, Size);
  readAs("KPGRAPH2", Data, Size);
  return 0;
}
