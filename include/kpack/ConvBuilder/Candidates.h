//===- ConvBuilder/Candidates.h - algorithms for a problem ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists all algorithms that can compute a problem, the one with the lowest
// estimate first:
//
//   for (const Candidate &One : candidates(Sig, Sizes, "gfx942"))
//     text(One.how), One.estimate.total, One.workspace
//
// The algorithms come from a closed space. The table of requirements
// (Requirements.h) and lower() check each one: an algorithm that passes both is
// a candidate, unless its tile is going to spill (Resources.h). Nothing is
// compiled. Algorithms that lower to the same kernel are one candidate.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CANDIDATES_H
#define KPACK_CONVBUILDER_CANDIDATES_H

#include "kpack/ConvBuilder/CostModel.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kpack::conv {

/// Limits of the candidates that a caller can use.
struct Constraints {
  /// Bytes that the caller can lend.
  long long workspace_limit = Huge;
  /// Only algorithms with the same bits in each run.
  bool deterministic = false;
  /// Include REFERENCE, which is correct and slow.
  bool allow_reference = false;
  /// Only this kind and isa.
  std::optional<Kind> kind{};
  std::optional<Isa> isa{};
};

/// An algorithm that can compute the problem.
struct Candidate {
  Algorithm how; ///< without absent parts
  Estimate estimate;
  long long workspace = 0; ///< bytes that the caller must lend
};

/// An algorithm that cannot compute the problem, with the first reason as in a
/// Finding (Report.h). Refusals of lower() have the id A16 (implemented).
struct Refusal {
  Algorithm how; ///< as far as it was completed
  std::string id;
  std::string path;
  std::string fact;
  std::string remedy;

  /// "[A3] algorithm.isa: MFMA is not in gfx1100; it has WMMA DOT VALU"
  std::string text() const;
};

/// Returns the candidates by their estimates; equal estimates keep the order of
/// the enumeration, so that the result is deterministic. \p Resolved comes from
/// resolveSignature(), \p Processor is a name such as "gfx942". Empty if no
/// algorithm can compute the problem. \p Refused, unless null, receives the
/// reasons, also for an invalid signature, problem or processor. Thread-safe.
std::vector<Candidate> candidates(const Signature &Resolved,
                                  const Problem &Sizes,
                                  std::string_view Processor,
                                  const Constraints &Within = {},
                                  std::vector<Refusal> *Refused = nullptr);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CANDIDATES_H
