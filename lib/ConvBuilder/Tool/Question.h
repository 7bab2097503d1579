//===- Question.h - signature, algorithm and problem of a verb --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands that explain, emit, run and check share: a signature, then an
// algorithm and a problem in any order. A problem may be options of
// MIOpenDriver.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_QUESTION_H
#define KPACK_LIB_CONVBUILDER_TOOL_QUESTION_H

#include "Values.h"

#include "kpack/ConvBuilder/ResolveAlgorithm.h"

namespace kpack::conv {

struct Question {
  Signature Sig;
  Algorithm Algo;
  std::optional<Problem> Sizes;
};

llvm::Expected<Question> makeQuestion(const Invocation &I);

/// Returns an error if no processor has the name; \p Option is the name's
/// option.
llvm::Error checkProcessor(const llvm::Twine &Option, llvm::StringRef Name);

/// Completes the algorithm for a processor, or for "cpu", which has VALU and
/// prefers the kind DIRECT.
Resolved answerTo(const Question &Q, llvm::StringRef Processor);

/// The same, but fails with the first requirement that does not hold.
llvm::Expected<Resolved> kernelFor(const Question &Q,
                                   llvm::StringRef Processor);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_QUESTION_H
