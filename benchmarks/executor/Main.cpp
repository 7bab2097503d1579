//===- Main.cpp - main() of the executor benchmark ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the figures of all groups of rows (Rows.h). docs/evidence/bench.md
// says what they mean.
//
//   executor-bench [--rounds N] [--group NAME] [--json]
//
// KPACK_JIT_COMPILER names the compiler.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

static constexpr Group Groups[] = {{"compile", measureCompiles}};

int main(int Count, char **Arguments) {
  return runBenchmark("executor", Groups, Count, Arguments);
}
