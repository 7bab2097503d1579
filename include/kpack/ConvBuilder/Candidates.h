//===- kpack/ConvBuilder/Candidates.h - algorithms of a problem -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All algorithms that can compute a problem, the one with the lowest estimate
// first:
//
//   for (const Candidate &One : candidates(Sig, Sizes, "gfx942"))
//     text(One.how), One.estimate.total, One.workspace
//
// They are enumerated from a closed space, and each is judged by the one table
// of requirements (Requirements.h) and by lower(): what neither refuses is a
// candidate, but for tiles that are going to spill (Resources.h). Nothing is
// compiled. Two algorithms that are one kernel are one candidate.
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

/// Which candidates a caller can use.
struct Constraints {
  /// Bytes that the caller can lend.
  long long workspace_limit = Huge;
  /// The same bits each time.
  bool deterministic = false;
  /// Whether REFERENCE is offered, which is right and slow.
  bool allow_reference = false;
  /// Only this one.
  std::optional<Kind> kind{};
  std::optional<Isa> isa{};
};

/// An algorithm that can compute the problem.
struct Candidate {
  Algorithm how; ///< nothing is absent
  Estimate estimate;
  long long workspace = 0; ///< bytes that the caller has to lend
};

/// An algorithm that cannot, and the first reason, as in a Finding (Report.h).
/// What lower() refuses has the id A16, what is implemented.
struct Refusal {
  Algorithm how; ///< as far as it was completed
  std::string id;
  std::string path;
  std::string fact;
  std::string remedy;

  /// "[A3] algorithm.isa: MFMA is not in gfx1100; it has WMMA DOT VALU"
  std::string text() const;
};

/// The candidates by their estimates, and by their place in the enumeration
/// where estimates are equal: the same arguments have the same result.
/// \p Resolved is what resolveSignature() has made, \p Processor the name of
/// one, "gfx942". Empty where nothing can compute it; \p Refused, if it is not
/// null, gets the reasons, also those of a signature, a problem or a processor
/// that is none. Can be called from any thread.
std::vector<Candidate> candidates(const Signature &Resolved,
                                  const Problem &Sizes,
                                  std::string_view Processor,
                                  const Constraints &Within = {},
                                  std::vector<Refusal> *Refused = nullptr);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CANDIDATES_H
