//===- Findings.h - requirements that do not hold ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report (kpack/ConvBuilder/Report.h) for people and as JSON.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_FINDINGS_H
#define KPACK_LIB_CONVBUILDER_TOOL_FINDINGS_H

#include "kpack/ConvBuilder/Report.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::conv {

/// A line for each.
void printFindings(llvm::raw_ostream &OS, const Report &Why);

/// Members "findings" and "findings_total" of the object that is open.
void printFindings(llvm::json::OStream &J, const Report &Why);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_FINDINGS_H
