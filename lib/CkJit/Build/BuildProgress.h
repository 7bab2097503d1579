//===- BuildProgress.h - progress display of a build ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the records of the drop-in compiler: on a terminal one line that is
// rewritten, elsewhere a line now and then.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_BUILDPROGRESS_H
#define KPACK_LIB_CKJIT_BUILD_BUILDPROGRESS_H

#include "ToolSupport/Terminal.h"

#include <chrono>
#include <string>

namespace kpack::ckjit {

class Progress {
public:
  /// \p RecordFile grows by a line for each source; linked libraries appear in
  /// \p Folder.
  Progress(llvm::raw_ostream &OS, std::string RecordFile, std::string Folder);
  void update();
  void finish();

private:
  void count();
  void show(bool Last);

  StatusLine Line;
  std::string RecordFile, Folder;
  std::chrono::steady_clock::time_point Start, Shown;
  uint64_t Offset = 0; ///< of the first uncounted byte of the file
  size_t Sources = 0, Libraries = 0, SourcesShown = 0;
};

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_BUILDPROGRESS_H
