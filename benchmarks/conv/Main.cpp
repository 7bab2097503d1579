//===- Main.cpp - main() of the convolution benchmark ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the figures of all groups of rows (Groups.h). docs/evidence/bench.md
// says what they mean.
//
//   conv-bench [--rounds N] [--group NAME] [--json]
//
// KPACK_JIT_COMPILER names the compiler.
//
//===----------------------------------------------------------------------===//
#include "Groups.h"

static constexpr Group Groups[] = {{"blob", measureBlobs},
                                   {"values", measureValues},
                                   {"candidates", measureCandidates},
                                   {"plans", measurePlans},
                                   {"headers", measureHeaders}};

int main(int Count, char **Arguments) {
  return runBenchmark("conv", Groups, Count, Arguments);
}
