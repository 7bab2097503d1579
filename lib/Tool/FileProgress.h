//===- FileProgress.h - status line with the current file -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For commands that read many files: shows the current one on a terminal, and
// nothing in files and pipes. Used by PackTree.cpp and ReportFiles.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_FILEPROGRESS_H
#define KPACK_LIB_TOOL_FILEPROGRESS_H

#include "ToolSupport/Session.h"
#include "ToolSupport/Terminal.h"

#include <chrono>

namespace kpack::tool {

/// A line that is overwritten, at most ten times a second.
class FileProgress {
public:
  explicit FileProgress(llvm::raw_ostream &OS) : Line(OS) {}

  void show(size_t Index, size_t Count, llvm::StringRef Name) {
    auto Now = std::chrono::steady_clock::now();
    if (!Line.isShown() || Now - Shown < std::chrono::milliseconds(100))
      return;
    Shown = Now;
    Line.show("kpack: " + llvm::Twine(Index) + " of " + llvm::Twine(Count) +
              ": " + printable(Name));
  }

  /// Removes the line before results are printed.
  void clear() {
    if (Line.isShown())
      Line.show("");
  }

private:
  StatusLine Line;
  std::chrono::steady_clock::time_point Shown;
};

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_FILEPROGRESS_H
