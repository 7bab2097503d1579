//===- LoaderReport.h - warnings and debug messages -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is loaded into every HIP process, so it is silent unless
// something is wrong, and writes each warning once. With ROCM_KPACK_DEBUG it
// writes every step. Both go to stderr, one write a line, with control
// characters replaced, because names come from files.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_LOADERREPORT_H
#define KPACK_RUNTIME_LOADERREPORT_H

#include "Runtime/GrowOnlyTable.h"

#include <string>

namespace kpack::runtime {

class Report {
public:
  explicit Report(bool Debug) : Debug(Debug) {}

  /// Writes "kpack: warning: <message>" unless it was written before.
  void warnOnce(const std::string &Message);

  /// Writes "kpack: <message>" if debugging is on. \p Message is a function
  /// that makes the text, so that a silent run does not pay for it.
  template <typename Function> void debug(const Function &Message) const {
    if (Debug)
      writeLine("kpack: " + Message());
  }

private:
  static void writeLine(std::string Line);

  const bool Debug;
  GrowOnlyTable<std::string> Written;
};

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_LOADERREPORT_H
