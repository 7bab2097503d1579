//===- Variables.cpp - device variables from a command line ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Variables.h. Device addresses are host addresses.
//
//===----------------------------------------------------------------------===//
#include "Variables.h"

#include "KernelArguments.h"

#include "ToolSupport/Errors.h"
#include "kpack/Support/OutputFile.h"

using namespace kpack;
using namespace kpack::softgpu;
using namespace llvm;

static char *bytesOf(const Variable &V) {
  return reinterpret_cast<char *>(static_cast<uintptr_t>(V.Address));
}

/// Splits \p Text into variable and file.
static Expected<std::pair<Variable, StringRef>>
parse(const CodeObject &Object, StringRef Option, StringRef Text) {
  auto [Name, Path] = Text.split(':');
  if (Name.empty() || Path.empty())
    return objectError((Option + Text).str(),
                       "a variable and a file expected; see "
                       "'softgpu-run --help'");
  std::optional<Variable> Found = Object.variable(Name);
  if (!Found)
    return objectError((Option + Text).str(),
                       "no variable '" + Name +
                           "' in the code object; 'llvm-nm -D' lists "
                           "the names");
  return std::pair(*Found, Path);
}

Error softgpu::checkVariable(const CodeObject &Object, StringRef Option,
                             StringRef Text) {
  return parse(Object, Option, Text).takeError();
}

Error softgpu::setVariable(const CodeObject &Object, StringRef Text) {
  auto Parsed = parse(Object, "--set=", Text);
  if (!Parsed)
    return Parsed.takeError();
  auto [Name, Path] = *Parsed;
  auto File = readInput(Path);
  if (!File)
    return File.takeError();
  StringRef Bytes = (*File)->getBuffer();
  if (Bytes.size() != Name.Size)
    return objectError(("--set=" + Text).str(),
                       "the file has " + Twine(Bytes.size()) +
                           " bytes, the variable " + Twine(Name.Size) +
                           "; give as many");
  std::memcpy(bytesOf(Name), Bytes.data(), Bytes.size());
  return Error::success();
}

Error softgpu::getVariable(const CodeObject &Object, StringRef Text) {
  auto Parsed = parse(Object, "--get=", Text);
  if (!Parsed)
    return Parsed.takeError();
  auto [Name, Path] = *Parsed;
  return toError(OutputFile::write(Path.str(),
                                   std::string_view(bytesOf(Name), Name.Size)));
}
