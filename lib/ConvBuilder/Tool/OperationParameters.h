//===- OperationParameters.h - --set=, inputs of operations -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --set=: inputs of an operation besides tensors (kpack/ConvBuilder/Args.h).
//
//   output.a=0.5                   of the output's operation
//   output.activation.b=2          of its activation
//   output.d0.a=3                  of the operation on its operand d0
//   output.dynamic=RELU            what DYNAMIC_UNARY_OP is in this call
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_OPERATIONPARAMETERS_H
#define KPACK_LIB_CONVBUILDER_TOOL_OPERATIONPARAMETERS_H

#include "kpack/ConvBuilder/Args.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack::conv {

/// Changes the numbers that \p Settings name. \p Sig is resolved. A number that
/// no operation reads is an error.
llvm::Error setNumbers(Args &Numbers, const Signature &Sig,
                       const std::vector<std::string> &Settings);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_OPERATIONPARAMETERS_H
