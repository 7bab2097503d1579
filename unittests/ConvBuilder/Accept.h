//===- Accept.h - parts of the acceptance program ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of conv-accept, which `scripts/accept conv` and the tier conv run
// with many cases, and the suite with few. Each prints what it has counted and
// says whether its bound holds.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_ACCEPT_H
#define KPACK_UNITTESTS_CONVBUILDER_ACCEPT_H

namespace kpack::conv {

struct AcceptRun {
  unsigned Seed;
  unsigned Count;
};

/// Values to texts, JSON and notes, and back (row 11).
bool acceptTexts(const AcceptRun &Run);
/// Algorithms that requirements accept compile, and fit (row 15).
bool acceptCompiles(const AcceptRun &Run);
/// Algorithms that requirements refuse fail if they are tried (row 16).
bool acceptRefusals(const AcceptRun &Run);
/// Faults in the kernels' sources are noticed (V7).
bool acceptFaults(const AcceptRun &Run);

/// "17 of 20 (85.0 %)".
void printShare(const char *Label, unsigned Share, unsigned All);

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_ACCEPT_H
