//===- Terminal.cpp - what a terminal is shown ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole line is erased before it is written anew, and not what is left of
// the old one afterwards: a mixture of two lines is never seen.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Terminal.h"
#include "llvm/Support/Process.h"

using namespace kpack;
using namespace llvm;

bool kpack::wantsColor(const raw_ostream &OS) {
  std::optional<std::string> NoColor = sys::Process::GetEnv("NO_COLOR");
  return OS.has_colors() && (!NoColor || NoColor->empty());
}

static bool canReplaceLines(const raw_ostream &OS) {
  std::optional<std::string> Terminal = sys::Process::GetEnv("TERM");
  return OS.is_displayed() && Terminal && *Terminal != "dumb";
}

StatusLine::StatusLine(raw_ostream &OS)
    : OS(OS), CanReplace(canReplaceLines(OS)) {}

void StatusLine::show(const Twine &Text) {
  if (!CanReplace)
    return;
  OS << "\r\x1b[K" << Text;
  OS.flush();
}

void StatusLine::keep(const Twine &Text) {
  show("");
  OS << Text << '\n';
  OS.flush();
}
