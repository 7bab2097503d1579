//===- Session.cpp - streams and exit status of a run ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages have one form, "<program>: error: <object>: <what>; <how to fix>".
// See ToolSupport/Session.h.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Session.h"

#include "ToolSupport/Terminal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace kpack;
using namespace llvm;

Session::Session(raw_ostream &Out, raw_ostream &Err, StringRef Program,
                 Lines PerMessage)
    : Out(Out), Err(Err), Program(Program), PerMessage(PerMessage),
      Colored(wantsColor(Err)) {}

void Session::message(raw_ostream::Colors Color, StringRef Kind,
                      const Twine &Text) {
  // Earlier results come first on a shared terminal.
  Out.flush();
  Err << Program << ": ";
  if (Colored) {
    Err.enable_colors(true);
    Err.changeColor(Color, /*Bold=*/true);
  }
  Err << Kind << ": ";
  if (Colored)
    Err.resetColor();
  // Names in it may come from hostile files.
  std::string Whole = Text.str();
  Err << (PerMessage == Lines::Several ? printableLines(Whole)
                                       : printable(Whole))
      << '\n';
}

void Session::error(const Twine &Message) {
  ExitStatus = std::max(ExitStatus, ErrorStatus);
  message(raw_ostream::RED, "error", Message);
}

void Session::error(Error Failure) {
  handleAllErrors(std::move(Failure), [this](const ErrorInfoBase &Info) {
    error(Twine(Info.message()));
  });
}

void Session::note(const Twine &Message) {
  if (Quiet)
    return;
  message(raw_ostream::BLUE, "note", Message);
}

std::string kpack::counted(uint64_t Count, StringRef Thing) {
  return (Twine(Count) + " " + Thing + (Count == 1 ? "" : "s")).str();
}

std::string kpack::jsonText(StringRef Text) {
  return json::isUTF8(Text) ? Text.str() : json::fixUTF8(Text);
}
