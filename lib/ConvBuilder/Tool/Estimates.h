//===- Estimates.h - printed estimates of candidates ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by explain, candidates and report: texts for the numbers of an
// estimate, and the candidates for a command line.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_ESTIMATES_H
#define KPACK_LIB_CONVBUILDER_TOOL_ESTIMATES_H

#include "Question.h"

#include "kpack/ConvBuilder/Candidates.h"
#include "llvm/Support/JSON.h"

namespace kpack::conv {

/// Formats times with two digits after the point, fractions with three, counts
/// with none.
std::string numberText(const Term &Entry);

/// Returns "MFMA 128x128x32, 2x2 waves of 32x32x8, V3".
std::string shortName(const Algorithm &Algo);

/// Writes the member "estimate", an object with a member for each term and the
/// limit of occupancy.
void attributeTerms(llvm::json::OStream &J, const Estimate &E);

/// The problem of a command line and its candidates.
struct CandidateList {
  Signature Sig;
  Problem Sizes;
  std::string Processor;
  std::vector<Candidate> Found;
  std::vector<Refusal> Refused;
};

/// Computes the candidates for --arch=, the operands, and the options that
/// limit them.
llvm::Expected<CandidateList> getCandidates(const Invocation &I);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_ESTIMATES_H
