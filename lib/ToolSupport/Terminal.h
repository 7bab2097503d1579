//===- ToolSupport/Terminal.h - what a terminal is shown --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// People at a terminal get colours, and one line that says what goes on now
// and is written over again and again. In files and pipes there are only lines
// that stay. TERM=dumb is a terminal that cannot go back in a line; NO_COLOR is
// respected. Sibling, in HIP processes: Jit/Executor/Cache/Progress.h.
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

  /// Whether show() shows anything.
  bool isShown() const { return CanReplace; }
  /// What goes on now: the next line takes its place.
  void show(const llvm::Twine &Text);
  /// A line that stays.
  void keep(const llvm::Twine &Text);

private:
  llvm::raw_ostream &OS;
  const bool CanReplace;
};

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_TERMINAL_H
