//===- PlanFormat.h - constants of plan files -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and numbers of docs/format/jit-graph.md. They never change; additions
// get new ones.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_GRAPH_PLANFORMAT_H
#define KPACK_LIB_JITGRAPH_GRAPH_PLANFORMAT_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kpack::jit {

/// The last character is the version.
constexpr std::string_view PlanMagic = "KPGRAPH1";
/// Version of plans with guards, which readers without support for guards must
/// refuse.
constexpr std::string_view GuardedPlanMagic = "KPGRAPH2";
static_assert(PlanMagic.size() == GuardedPlanMagic.size());

/// The file ends with this and the XXH3-128 of everything before the hash.
/// Readers from before there was a checksum stop at the end of the map.
constexpr std::string_view ChecksumMagic = "KPGSUM-1";
constexpr size_t ChecksumSize = 16 + ChecksumMagic.size();

/// After PlanKeys, and required in version 2.
constexpr std::string_view GuardsKey = "guards";

/// In this order: later values refer to earlier ones.
constexpr std::string_view PlanKeys[] = {"target",
                                         "sizes_in_memory",
                                         "variables",
                                         "dims",
                                         "interface_inputs",
                                         "interface_outputs",
                                         "weights",
                                         "buffers",
                                         "inputs",
                                         "outputs",
                                         "kernels",
                                         "setup",
                                         "nodes",
                                         "source",
                                         "pooled",
                                         "places",
                                         "peak",
                                         "naive_sum",
                                         "lower_bound"};

enum class PlanDim : uint64_t { Sum, Variable, FloorDiv, Mod, Min, Max };

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_GRAPH_PLANFORMAT_H
