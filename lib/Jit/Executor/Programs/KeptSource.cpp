//===- KeptSource.cpp - a text where debuggers look for it ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KeptSource.h. Store::prune() removes what is old, and it is written
// again.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Programs/KeptSource.h"

#include "Jit/Service/CompilePlan.h"
#include "kpack/Support/OutputFile.h"

#include <algorithm>
#include <filesystem>

using namespace kpack;
using namespace kpack::jit;

static bool hasDebugInformation(const CompileRequest &Request) {
  bool Has = false;
  for (const std::string &Flag : Request.Flags)
    if (startsWith(Flag, "-g"))
      Has = Flag != "-g0";
  return Has;
}

/// What a #line directive can have in quotes.
static bool isPlain(const std::string &Path) {
  return std::none_of(Path.begin(), Path.end(), [](unsigned char C) {
    return C < ' ' || C == '"' || C == '\\' || C == 0x7f;
  });
}

void jit::keepSource(CompileRequest &Request, const std::string &Directory) {
  if (!Request.Text || Directory.empty() || !hasDebugInformation(Request))
    return;
  std::string Folder =
      Directory + "/sources/" + toHex(sha256(Request.Text->Text)).substr(0, 16);
  std::string Path =
      Folder + "/" + Request.Source.substr(Request.Source.rfind('/') + 1);
  if (!isPlain(Path))
    return;
  std::error_code Failed;
  if (!std::filesystem::exists(Path, Failed)) {
    std::filesystem::create_directories(Folder, Failed);
    if (!OutputFile::write(Path, Request.Text->Text).ok())
      return;
  }
  Request.Source = Path;
  // Of version 5's table of files, whose first one is the text in the compile's
  // folder, binutils' readers, perf's among them, take that one for all.
  if (Request.Output == CompileOutput::SharedObject)
    Request.Flags.push_back("-fdebug-default-version=4");
}
