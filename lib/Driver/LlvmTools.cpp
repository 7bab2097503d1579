//===- LlvmTools.cpp - exec of tools in clang's folder --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tool in clang's own folder is preferred, as it knows clang's bitcode.
// Distributions have it in a separate package. If that is not installed, the
// choice is CMake's for a compiler without a prefix: LLVM's tool in PATH, then
// that of the binutils.
//
//===----------------------------------------------------------------------===//

#include "LlvmTools.h"
#include "Clang.h"
#include "Support/Process.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <cstring>

using namespace llvm;

namespace kpack::driver {

StringRef getLlvmTool(StringRef Argv0) {
  StringRef Name = sys::path::filename(Argv0);
  static constexpr StringLiteral Tools[] = {"llvm-ar", "llvm-ranlib"};
  return Name.consume_front("kpack-") && is_contained(Tools, Name)
             ? Name
             : StringRef();
}

static std::string findTool(StringRef Tool, StringRef Clang) {
  SmallString<128> Real;
  if (sys::fs::real_path(Clang, Real))
    Real = Clang;
  std::string Versioned = (Tool + "-" + Twine(LLVM_VERSION_MAJOR)).str();
  std::string Plain = Tool.substr(strlen("llvm-")).str();
  for (StringRef Folder :
       {sys::path::parent_path(Real), sys::path::parent_path(Clang)})
    if (ErrorOr<std::string> Found = sys::findProgramByName(Tool, {Folder}))
      return *Found;
  for (StringRef Name : {StringRef(Versioned), Tool, StringRef(Plain)})
    if (ErrorOr<std::string> Found = sys::findProgramByName(Name))
      return *Found;
  return "";
}

/// Removes --kpack-clang= from \p Arguments and returns its last value.
static StringRef takeClang(std::vector<const char *> &Arguments) {
  StringRef Asked;
  llvm::erase_if(Arguments, [&](StringRef Argument) {
    bool IsOurs = Argument.consume_front("--kpack-clang=");
    if (IsOurs)
      Asked = Argument;
    return IsOurs;
  });
  return Asked;
}

Error becomeLlvmTool(StringRef Tool, ArrayRef<const char *> Given) {
  std::vector<const char *> Arguments = Given.vec();
  StringRef Asked = takeClang(Arguments);
  Expected<std::string> Clang = findClang(Asked);
  if (!Clang)
    return Clang.takeError();
  std::string Program = findTool(Tool, *Clang);
  if (Program.empty())
    return objectError(Tool, "no such program beside " + *Clang +
                                 " nor in PATH; install LLVM's tools");
  std::vector<std::string> Command{Program};
  append_range(Command, Arguments);
  becomeProgram(Command);
  return objectError(Program, "cannot be run: " + sys::StrError(errno) +
                                  "; install LLVM's tools again");
}

} // namespace kpack::driver
