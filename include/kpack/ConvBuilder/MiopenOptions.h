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
#include "kpack/ConvBuilder/Signature.h"
#include "kpack/Support/Status.h"

#include <optional>
#include <string>
#include <string_view>

namespace kpack::conv {

/// What the options say.
struct MiopenProblem {
  Problem Sizes;
  int SpatialDim = 2;
  /// -F 1, 2 or 4; absent for any other sum of these, which are several.
  std::optional<ConvDirection> Direction;
  /// By the word before the options: convfp16 says FP16. Absent for conv.
  std::optional<DataType> Type;
  /// Of input, weight and output, as MIOpen names all of them: NCHW, NHWC and
  /// their kin; empty where they are not given.
  std::string Layouts[3];
};

/// Whether \p Text is meant to be such options, not the text of a Problem.
bool isMiopenOptions(std::string_view Text);

/// Reads them. Errors are InvalidFormat, "problem: at OFFSET: ...": an option
/// that is not known or there twice, a value that is no number, a word before
/// them that is no convolution, channels that groups do not divide, padding or
/// another mode that no convolution of ours has.
Result<MiopenProblem> parseMiopenOptions(std::string_view Text);

/// A problem for a signature, from its own text or from such options. Errors:
/// those of parse() and parseMiopenOptions(), and InvalidArgument where options
/// say another direction, type, layout or number of dimensions than the
/// signature does.
Result<Problem> problemFor(const Signature &Sig, std::string_view Text);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_MIOPENOPTIONS_H
