//===- Terminal.cpp - colours and status lines ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole line is erased before the next one is written, instead of the rest
// of the old one afterwards, so a mixture of both is never visible.
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
