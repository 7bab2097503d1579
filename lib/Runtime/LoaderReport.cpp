//===- LoaderReport.cpp - warnings and debug messages ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of warnings also decides which thread writes: of two threads with
// the same text only the one whose insertion succeeds. Each line is composed
// first and written by one fwrite(), so that lines of several threads do not
// mix. Bytes below ' ' and DEL become '?', so a file name cannot move the
// cursor or start a new line; bytes from 0x80 on stay, because UTF-8 names
// consist of them.
//
//===----------------------------------------------------------------------===//
#include "Runtime/LoaderReport.h"

#include <cstdio>
#include <functional>

using namespace kpack::runtime;

void Report::writeLine(std::string Line) {
  for (char &C : Line)
    if (static_cast<unsigned char>(C) < ' ' || C == '\x7f')
      C = '?';
  Line += '\n';
  std::fwrite(Line.data(), 1, Line.size(), stderr);
}

void Report::warnOnce(const std::string &Message) {
  auto Same = [&](const std::string &Other) { return Other == Message; };
  if (Written
          .insert(std::hash<std::string>()(Message),
                  std::make_unique<std::string>(Message), Same)
          .second)
    writeLine("kpack: warning: " + Message);
}
