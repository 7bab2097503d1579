//===- Report/ReportMeasure.h - bytes of a code object by kind --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides the bytes of a code object in a file among debug information, symbols
// and kernels. The total is known; the parts are measured, and are an estimate
// if it is compressed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_REPORT_REPORTMEASURE_H
#define KPACK_TOOL_REPORT_REPORTMEASURE_H

#include "kpack/Archive/detail/ContentHash.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kpack::tool {

/// In bytes; Stored is the sum of Debug, Symbols, Other and Kernels.
struct ImageShare {
  uint64_t Plain = 0, Stored = 0;
  uint64_t Debug = 0, Symbols = 0, Other = 0;
  /// By source name.
  std::vector<std::pair<std::string, uint64_t>> Kernels;
  /// Hash of the code object.
  detail::ContentHash Hash = {};
};

/// Returns the share of \p Part in \p Whole, if \p Total is the total of parts;
/// at most \p Whole.
uint64_t computeShare(uint64_t Whole, uint64_t Part, uint64_t Total);

/// Divides the \p Stored bytes that the code object \p Bytes takes.
ImageShare measureImage(llvm::StringRef Bytes, uint64_t Stored,
                        bool IsCompressed);

} // namespace kpack::tool

#endif // KPACK_TOOL_REPORT_REPORTMEASURE_H
