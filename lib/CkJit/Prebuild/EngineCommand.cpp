//===- EngineCommand.cpp - command line for ninja and Slurm ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command runs later, on another machine and perhaps in another
// environment, so it contains the resolved cache, root and compiler, not the
// given ones. The program is this one by its path, because an engine's PATH may
// lack ck-jit.
//
// Only link flags of the command line are passed on. The command reads the
// manifest again and takes its flags from there; otherwise the linker would get
// each of them twice.
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
                                              const Source &Input) {
  const char *Policies[] = {"off", "auto", "on"};
  std::vector<std::string> Command{
      sys::fs::getMainExecutable(nullptr,
                                 reinterpret_cast<void *>(&engineCommand)),
      "prebuild", "build"};
  auto Add = [&](StringRef Option, StringRef Value) {
    if (!Value.empty())
      Command.push_back((Option + Value).str());
  };
  Add(Chosen.From.Library.empty() ? "--manifest=" : "--library=",
      manifestPath(Chosen));
  Add("--cache-dir=", absolutePath(Input.CacheDir));
  Add("--root=", Input.Context.Root);
  Add("--compiler=", Input.Context.Compiler);
  for (const std::string &Flag : Chosen.From.LinkFlags)
    Add("--link-flag=", Flag);
  Add("--pch=", Policies[int(Chosen.Pch)]);
  if (!Chosen.Trace.empty())
    Add("--trace=", absolutePath(Chosen.Trace));
  return Command;
}
