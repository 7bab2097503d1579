//===- Rows.h - rows of measured figures ------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_BENCHMARKS_GRAPH_ROWS_H
#define KPACK_BENCHMARKS_GRAPH_ROWS_H

#include "kpack/kpack_jit.h"

#include <string>
#include <vector>

namespace kpack::bench {

struct Row {
  const char *Group, *Name, *Unit;
  double Value = 0;
  double AtMost = 0, AtLeast = 0; ///< 0: no aim
};

/// The models of examples/graph-*, beside the same by hand.
std::vector<Row> modelRows(kpack_jit_cache *Cache, int Rounds);

/// What prepare() of the encoder takes in processes that have done nothing
/// else, whose kernels are in that folder.
std::vector<Row> newProcessRows(const std::string &Folder, int Rounds);
/// Is such a process, started at that time, and prints what was measured.
int prepareInThisProcess(kpack_jit_cache *Cache, double Started);

[[noreturn]] void fail(const std::string &Why);

} // namespace kpack::bench

#endif // KPACK_BENCHMARKS_GRAPH_ROWS_H
