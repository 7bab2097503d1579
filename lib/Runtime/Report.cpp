//===- Report.cpp - what the runtime tells the user -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of warnings also decides who writes: when two threads come with the
// same text, only the one whose insertion succeeds does. A line is put together
// first and written by one fwrite(), so that the lines of several threads do
// not mix. Bytes below ' ' and DEL become '?', so a file name cannot move the
// cursor or start a line of its own; bytes from 0x80 on stay, because they are
// what a name in UTF-8 is made of.
//
//===----------------------------------------------------------------------===//
#include "Runtime/Report.h"

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
