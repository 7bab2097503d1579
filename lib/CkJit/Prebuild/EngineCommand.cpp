//===- EngineCommand.cpp - what build engines run for a blob --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command runs later, on another machine and perhaps in another
// environment, so everything that was looked up here is spelled out in it: the
// cache, the root and the compiler as they were resolved, not as they were
// given. The program is this one, by its own path, because an engine may have
// no PATH with ck-jit in it.
//
// Of the link flags only those of the command line are passed on. The command
// reads the manifest once more and takes the manifest's own flags from there;
// repeating them would give the linker each of them twice.
//
//===----------------------------------------------------------------------===//
#include "EngineCommand.h"

#include "ToolSupport/CommandOptions.h"
#include "llvm/Support/FileSystem.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

std::string ckjit::manifestPath(const Choice &Chosen) {
  return absolutePath(Chosen.From.Library.empty() ? Chosen.From.Manifest
                                                  : Chosen.From.Library);
}

std::vector<std::string> ckjit::engineCommand(const Choice &Chosen,
                                              const Source &From) {
  const char *Policies[] = {"off", "auto", "on"};
  std::vector<std::string> Words{
      sys::fs::getMainExecutable(nullptr,
                                 reinterpret_cast<void *>(&engineCommand)),
      "prebuild", "build"};
  auto Add = [&](StringRef Option, StringRef Value) {
    if (!Value.empty())
      Words.push_back((Option + Value).str());
  };
  Add(Chosen.From.Library.empty() ? "--manifest=" : "--library=",
      manifestPath(Chosen));
  Add("--cache-dir=", absolutePath(From.CacheDir));
  Add("--root=", From.Context.Root);
  Add("--compiler=", From.Context.Compiler);
  for (const std::string &Flag : Chosen.From.LinkFlags)
    Add("--link-flag=", Flag);
  Add("--pch=", Policies[int(Chosen.Pch)]);
  if (!Chosen.Trace.empty())
    Add("--trace=", absolutePath(Chosen.Trace));
  return Words;
}
