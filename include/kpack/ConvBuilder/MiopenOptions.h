//===- MiopenOptions.h - problems from MIOpenDriver options -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a problem from the options of MIOpenDriver, so that a line of its log
// can be used unchanged:
//
//   conv -n 1 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -g 1 -F 1
//
// There, -c and -k count the channels of all groups; a Problem counts those of
// one group. Options that control the run of MIOpen, such as -t or -V, are
// ignored.
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

/// The values of the options.
struct MiopenProblem {
  Problem Sizes;
  int SpatialDim = 2;
  /// For -F 1, 2 or 4; absent for sums of these, which select several
  /// directions.
  std::optional<ConvDirection> Direction;
  /// From the word before the options: FP16 for convfp16. Absent for conv.
  std::optional<DataType> Type;
  /// Layouts of input, weight and output in MIOpen's names, such as NCHW and
  /// NHWC for all three; empty if not given.
  std::string Layouts[3];
};

/// True if \p Text looks like such options, not like the text of a Problem.
bool isMiopenOptions(std::string_view Text);

/// Parses the options. Errors: InvalidFormat, "problem: at OFFSET: ...": an
/// unknown or repeated option, an invalid number, another word before the
/// options, channels that groups do not divide, a padding or mode that is not
/// supported.
Result<MiopenProblem> parseMiopenOptions(std::string_view Text);

/// Parses a problem for a signature, from its text or from such options.
/// Errors: those of parse() and parseMiopenOptions(), and InvalidArgument if
/// direction, type, layout or number of dimensions differ from the signature's.
Result<Problem> problemFor(const Signature &Sig, std::string_view Text);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_MIOPENOPTIONS_H
