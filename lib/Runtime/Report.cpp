//===- Report.cpp - what the runtime tells the user -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Report.h.
//
//===----------------------------------------------------------------------===//
#include "kpack/Runtime/Report.h"

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
