//===- Groups.h - groups of rows of this benchmark --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_BENCHMARKS_CONV_GROUPS_H
#define KPACK_BENCHMARKS_CONV_GROUPS_H

#include "Rows.h"

/// Compiles.cpp: processor time of a kernel that no cache has.
Measure measureBlobs;
/// Candidates.cpp: all algorithms of a problem.
Measure measureCandidates;
/// Headers.cpp: what including the builder costs a compiler.
Measure measureHeaders;
/// Plans.cpp: plans, and what their calls add to a launch.
Measure measurePlans;
/// Values.cpp: what is done with values and never compiles.
Measure measureValues;

#endif // KPACK_BENCHMARKS_CONV_GROUPS_H
