//===- Report/ReportMeasure.h - what a code object's bytes are --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One code object, and what of the bytes that it takes in a file are its debug
// information, its symbols, its kernels. What it takes in the file is known;
// how that is divided is measured, and an estimate where it is compressed.
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

/// Bytes; Stored is the sum of Debug, Symbols, Other and Kernels.
struct ImageShare {
  uint64_t Plain = 0, Stored = 0;
  uint64_t Debug = 0, Symbols = 0, Other = 0;
  /// By name as it was written.
  std::vector<std::pair<std::string, uint64_t>> Kernels;
  /// Of the code object.
  detail::ContentHash Hash = {};
};

/// \p Part of \p Of things when there are \p Whole: in proportion, and at most
/// all.
uint64_t shareOf(uint64_t Whole, uint64_t Part, uint64_t Of);

/// Divides the \p Stored bytes that the code object \p Bytes takes.
ImageShare measureImage(llvm::StringRef Bytes, uint64_t Stored,
                        bool IsCompressed);

} // namespace kpack::tool

#endif // KPACK_TOOL_REPORT_REPORTMEASURE_H
