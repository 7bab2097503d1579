//===- Runtime/Report.h - what the runtime tells the user -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that is loaded into every HIP process is silent unless something is
// wrong: a warning is written once, however often it happens. With
// ROCM_KPACK_DEBUG every step is written. Both go to stderr, one write a line,
// and with control characters replaced, because names come from files.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_REPORT_H
#define KPACK_RUNTIME_REPORT_H

#include "Runtime/GrowOnlyTable.h"

#include <string>

namespace kpack::runtime {

class Report {
public:
  explicit Report(bool Debug) : Debug(Debug) {}

  /// "kpack: warning: <message>", the first time this text comes.
  void warnOnce(const std::string &Message);

  /// "kpack: <message>" if debugging. \p Message is a function that makes the
  /// text, so that a silent run does not pay for it.
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

#endif // KPACK_RUNTIME_REPORT_H
