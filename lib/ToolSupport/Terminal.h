//===- ToolSupport/Terminal.h - colours and status lines --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terminals get colours and a status line that is overwritten; files and pipes
// get only permanent lines. A terminal with TERM=dumb cannot go back in a line.
// NO_COLOR is respected. Sibling in HIP processes:
// Jit/Executor/Cache/Progress.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_TERMINAL_H
#define KPACK_TOOLSUPPORT_TERMINAL_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack {

bool wantsColor(const llvm::raw_ostream &OS);

class StatusLine {
public:
  explicit StatusLine(llvm::raw_ostream &OS);

  /// True if show() has an effect.
  bool isShown() const { return CanReplace; }
  /// Shows a status, which the next line replaces.
  void show(const llvm::Twine &Text);
  /// Prints a permanent line.
  void keep(const llvm::Twine &Text);

private:
  llvm::raw_ostream &OS;
  const bool CanReplace;
};

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_TERMINAL_H
