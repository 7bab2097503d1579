//===- DryRun.cpp - results of clang's -### -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output has one command a line, with each argument in quotes.
//
//===----------------------------------------------------------------------===//

#include "DryRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

#include <set>

using namespace llvm;

namespace kpack::driver {

/// Calls \p Visit with the arguments of each command in the output of -###.
template <typename Visitor>
static void forEachCommand(StringRef DryRun, Visitor Visit) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  for (StringRef Line : split(DryRun, '\n')) {
    if (!Line.starts_with(" \""))
      continue;
    SmallVector<const char *, 0> Args;
    cl::TokenizeGNUCommandLine(Line, Saver, Args);
    Visit(ArrayRef<const char *>(Args));
  }
}

std::vector<std::string> deviceLinkArgs(StringRef DryRun) {
  std::vector<std::string> Result;
  bool Found = false;
  forEachCommand(DryRun, [&](ArrayRef<const char *> Command) {
    if (Found || !is_contained(Command, StringRef("elf64_amdgpu")))
      return;
    Found = true;
    bool Taking = false;
    for (StringRef Word : Command) {
      // Options that ld.kpack sets itself surround the ones to return.
      if (Word == "-shared")
        Taking = true;
      else if (Word == "--whole-archive" || Word == "-o")
        return;
      else if (Taking && !Word.starts_with("-plugin-opt=mcpu=") &&
               Word != "-plugin-opt=-amdgpu-internalize-symbols")
        Result.push_back(Word.str());
    }
  });
  return Result;
}

std::vector<std::string> dryRunTargets(StringRef DryRun) {
  std::set<std::string> Result;
  forEachCommand(DryRun, [&](ArrayRef<const char *> Command) {
    for (StringRef Word : Command) {
      if (!Word.consume_front("-targets="))
        continue;
      SmallVector<StringRef, 8> Ids;
      Word.split(Ids, ',');
      for (StringRef Id : Ids)
        if (Id.starts_with("hip") && Id.contains("--"))
          Result.insert(Id.substr(Id.find("--") + 2).str());
    }
  });
  return {Result.begin(), Result.end()};
}

} // namespace kpack::driver
