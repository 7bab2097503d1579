//===- KeptSource.cpp - source files kept for debuggers -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Store::prune() removes old files; later compiles write them again.
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

/// Returns true for paths that can be quoted in a #line directive.
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
  // In DWARF 5 the first file of the line table is the text in the compile's
  // folder; binutils, which perf uses, takes it for all files.
  if (Request.Output == CompileOutput::SharedObject)
    Request.Flags.push_back("-fdebug-default-version=4");
}
