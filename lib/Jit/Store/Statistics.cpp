//===- Statistics.cpp - hits and compiles of a cache ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows and their sums. StatisticsFile.h stores them.
//
//===----------------------------------------------------------------------===//
#include "Jit/Store/Statistics.h"

#include "Jit/Store/StatisticsFile.h"
#include "Jit/Store/Store.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

/// Saturates: a damaged file may hold any number.
static void addTo(uint64_t &Sum, uint64_t By) {
  if (__builtin_add_overflow(Sum, By, &Sum))
    Sum = UINT64_MAX;
}

static constexpr uint64_t KernelStatistics::*Counts[] = {
    &KernelStatistics::Hits,     &KernelStatistics::Misses,
    &KernelStatistics::Compiles, &KernelStatistics::Failures,
    &KernelStatistics::Waits,    &KernelStatistics::CompileMilliseconds,
    &KernelStatistics::Fetched};

void KernelStatistics::add(const KernelStatistics &Other) {
  for (uint64_t KernelStatistics::*Count : Counts)
    addTo(this->*Count, Other.*Count);
  // A failure has no entry and leaves the size of the last one.
  if (Other.Bytes && (Other.LastUse >= LastUse || !Bytes))
    Bytes = Other.Bytes;
  LastUse = std::max(LastUse, Other.LastUse);
}

KernelStatistics jit::computeTotal(const std::vector<KernelStatistics> &Rows) {
  KernelStatistics Total;
  uint64_t Bytes = 0;
  for (const KernelStatistics &Row : Rows) {
    Total.add(Row);
    addTo(Bytes, Row.Bytes);
  }
  Total.Bytes = Bytes;
  return Total;
}

Result<std::vector<KernelStatistics>>
jit::readStatistics(const std::string &CacheDirectory) {
  // open() also checks the owner.
  auto Where = Store::open({CacheDirectory, /*ReadOnly=*/true});
  if (!Where)
    return Where.status();
  return StatisticsFile((*Where)->descriptor()).read();
}

Status jit::clearStatistics(const std::string &CacheDirectory) {
  auto Where = Store::open({CacheDirectory, /*ReadOnly=*/true});
  if (!Where)
    return Where.status();
  return StatisticsFile((*Where)->descriptor()).clear()
             ? Status::success()
             : Status(StatusCode::IoError,
                      CacheDirectory +
                          "/stats: cannot be removed; check the directory's "
                          "permissions");
}
