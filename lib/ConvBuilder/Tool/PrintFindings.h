//===- PrintFindings.h - printed list of violations -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a report (kpack/ConvBuilder/Report.h) as text and as JSON.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_PRINTFINDINGS_H
#define KPACK_LIB_CONVBUILDER_TOOL_PRINTFINDINGS_H

#include "kpack/ConvBuilder/Report.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::conv {

/// Prints a line for each finding.
void printFindings(llvm::raw_ostream &OS, const Report &Why);

/// Writes the members "findings" and "findings_total" into the open object.
void printFindings(llvm::json::OStream &J, const Report &Why);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_PRINTFINDINGS_H
