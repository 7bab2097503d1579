//===- Question.h - signature, algorithm and problem of a verb --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands that explain, emit, run and check share: a signature, and after
// it an algorithm and a problem in any order. A problem may be a line for
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

llvm::Expected<Question> questionOf(const Invocation &I);

/// An error where no processor has the name; \p Option is what said it.
llvm::Error checkProcessor(const llvm::Twine &Option, llvm::StringRef Name);

/// Completed for a processor, or for "cpu": that has VALU, and of kinds DIRECT
/// first.
Resolved answerTo(const Question &Q, llvm::StringRef Processor);

/// The same where all requirements hold; else the first of them is the error.
llvm::Expected<Resolved> kernelFor(const Question &Q,
                                   llvm::StringRef Processor);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_QUESTION_H
