//===- Estimates.h - candidates and terms, as verbs show them ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What explain, candidates and report share: numbers of an estimate in words,
// and the candidates of a command line.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_ESTIMATES_H
#define KPACK_LIB_CONVBUILDER_TOOL_ESTIMATES_H

#include "Question.h"

#include "kpack/ConvBuilder/Candidates.h"
#include "llvm/Support/JSON.h"

namespace kpack::conv {

/// Times with two digits after the point, shares with three, counts with none.
std::string numberText(const Term &Of);

/// "MFMA 128x128x32, 2x2 waves of 32x32x8, V3"
std::string shortName(const Algorithm &How);

/// An object with a member for each term.
void attributeTerms(llvm::json::OStream &J, const Estimate &E);

/// What a command line asks for, and the answer.
struct CandidateList {
  Signature Sig;
  Problem Sizes;
  std::string Processor;
  std::vector<Candidate> Found;
  std::vector<Refusal> Refused;
};

/// Of --arch=, the operands, and the options that say which are wanted.
llvm::Expected<CandidateList> candidatesOf(const Invocation &I);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_ESTIMATES_H
