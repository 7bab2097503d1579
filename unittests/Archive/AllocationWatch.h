//===- AllocationWatch.h - record of the largest allocation -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remembers the largest single allocation of the process and counts the large
// ones, so that a test can say that no input made the library ask for more than
// it may, or more often. Under
// AddressSanitizer through its hooks, elsewhere by wrapping glibc's malloc.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_ARCHIVE_ALLOCATIONWATCH_H
#define KPACK_UNITTESTS_ARCHIVE_ALLOCATIONWATCH_H

#include <cstddef>

namespace kpack::test {

/// Starts over; single-threaded use.
void resetLargestAllocation();
size_t largestAllocation();

/// Those of 64 MiB and more, since the last reset.
size_t largeAllocations();

} // namespace kpack::test

#endif // KPACK_UNITTESTS_ARCHIVE_ALLOCATIONWATCH_H
