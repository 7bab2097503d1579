//===- kpack/ConvBuilder/MiopenOptions.h - problems of MIOpen ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A problem as MIOpenDriver is told it, so that a line of its log can be used
// as it is:
//
//   conv -n 1 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -g 1 -F 1
//
// There, -c and -k count the channels of all groups; a Problem counts those of
// one. What says how MIOpen is to run, -t or -V, is accepted and means nothing.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_MIOPENOPTIONS_H
#define KPACK_CONVBUILDER_MIOPENOPTIONS_H

#include "kpack/ConvBuilder/Problem.h"
#include "kpack/Support/Status.h"

#include <optional>

namespace kpack::conv {

/// What the options say.
struct MiopenProblem {
  Problem Sizes;
  int SpatialDim = 2;
  /// -F 1, 2 or 4; absent for any other sum of these, which are several.
  std::optional<ConvDirection> Direction;
};

/// Whether \p Text is meant to be such options, not the text of a Problem.
bool isMiopenOptions(std::string_view Text);

/// Reads them. Errors are InvalidFormat, "problem: at OFFSET: ...": an option
/// that is not known, a value that is no number, channels that groups do not
/// divide, padding or another mode that no convolution of ours has.
Result<MiopenProblem> parseMiopenOptions(std::string_view Text);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_MIOPENOPTIONS_H
