//===- ConvBuilder/CostModel.h - estimated run time of a kernel -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates the run time of a kernel for a problem, to order candidates
// (Candidates.h) before anything is compiled. The estimate is arithmetic on the
// numbers of algorithm, problem, processor and machine (Machines.h): it is
// deterministic, and never a measurement.
//
//   round  = max(turns * max(flop, cache, issue), latency)
//   total  = max(sum of rounds, memory) + reduction + launch
//
// flop, cache, issue and latency are times of one work-group; turns is the
// number of work-groups on the busiest unit in that round (CostModel.cpp).
//
// Each term has a name, so that `conv-builder explain` can show why one
// algorithm ranks before another. docs/reference/conv-cost-model.md explains
// them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_COSTMODEL_H
#define KPACK_CONVBUILDER_COSTMODEL_H

#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/Resources.h"

#include <string_view>
#include <vector>

namespace kpack::conv {

/// Times are microseconds; shares are from 0 to 1.
struct Estimate {
  long long work_groups = 0;
  long long waves = 0;     ///< of a work-group
  long long lds = 0;       ///< bytes of a work-group
  long long registers = 0; ///< of a lane, by the model of Resources.h
  long long occupancy = 0; ///< work-groups that a unit runs at once
  OccupancyLimit limit = OccupancyLimit::Waves;
  long long rounds = 0;

  double tile_waste = 0; ///< share of products outside the matrix
  double wave_waste = 0; ///< the part of it that remains with smaller tiles
  double tail = 0;       ///< share of slots that are empty over all rounds

  double operations = 0;   ///< including waste; a multiply-add counts as two
  double requests = 0;     ///< bytes that work-groups load and store
  double bytes = 0;        ///< of all tensors, once
  double instructions = 0; ///< of all waves

  double flop_time = 0;
  double cache_time = 0;
  double issue_time = 0;
  double latency_time = 0;
  double memory_time = 0;
  double reduction_time = 0; ///< additions of the pieces of sums
  double launch_time = 0;
  double total = 0;
};

/// Estimates a kernel that lower() accepts; the total is zero if it refuses. \p
/// Resolved and \p Algo must be complete. Allocates only what lower()
/// allocates. Thread-safe.
Estimate estimate(const Signature &Resolved, const Algorithm &Algo,
                  const Problem &Sizes, const Processor &Gpu);

/// The same for a caller that has lowered the kernel and has the facts of \p
/// Sizes.
Estimate estimate(const Signature &Resolved, const Algorithm &Algo,
                  const Lowered &Kernel, const Problem &Sizes,
                  const ProblemFacts &Facts, const Processor &Gpu,
                  const Machine &Speed);

/// One number of an estimate.
struct Term {
  std::string_view Name;
  double Value;
  std::string_view Unit;
  std::string_view Text; ///< a description
};

/// Returns all terms in the order of the members.
std::vector<Term> termsOf(const Estimate &E);

/// "LDS", "registers", "waves"
std::string_view nameOf(OccupancyLimit Limit);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_COSTMODEL_H
