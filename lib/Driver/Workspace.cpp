//===- Workspace.cpp - temporary folder, response files -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A response file has one argument on each line, always in double quotes, with
// a backslash before each quote, backslash and dollar: a "b" becomes "a \"b\"".
// So blanks and newlines inside an argument need no further rules.
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"
#include "ToolSupport/Output.h"
#include "ToolSupport/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using kpack::objectError;

namespace kpack::driver {

Workspace::~Workspace() {
  if (!Made.empty())
    sys::fs::remove_directories(Made, /*IgnoreErrors=*/true);
}

Error Workspace::create() {
  SmallString<128> Created;
  auto Fail = [](std::error_code Why) {
    return objectError(temporaryParent(),
                       "cannot make a temporary directory: " + Why.message() +
                           "; set TMPDIR");
  };
  if (std::error_code EC = makeTemporaryFolder("kpack-clang", Created))
    return Fail(EC);
  Made = Dir = Created.str().str();
  if (!StringRef(Made).contains('%'))
    return Error::success();
  // Compilers replace every '%' in the paths of their outputs, so they get the
  // path of our descriptor of the directory.
  Folder = UniqueFd(::open(Made.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!Folder)
    return Fail(errnoAsErrorCode());
  Dir = ("/proc/" + Twine(::getpid()) + "/fd/" + Twine(Folder.get())).str();
  return Error::success();
}

static Error writeFile(StringRef Path, StringRef Contents) {
  std::error_code EC = writeInPlace(Path, Contents);
  return EC ? objectError(Path, "cannot write: " + EC.message() +
                                    "; set TMPDIR to a place with free space")
            : Error::success();
}

Expected<std::vector<std::string>>
Workspace::shorten(std::vector<std::string> Arguments) {
  std::vector<StringRef> View(Arguments.begin(), Arguments.end());
  if (sys::commandLineFitsWithinSystemLimits(View.front(), View))
    return Arguments;
  std::string Text;
  raw_string_ostream OS(Text);
  for (StringRef Argument : ArrayRef(View).drop_front()) {
    sys::printArg(OS, Argument, /*Quote=*/true);
    OS << '\n';
  }
  std::string File = path() + "/arguments-" + std::to_string(ResponseFiles++);
  if (Error E = writeFile(File, Text))
    return std::move(E);
  return std::vector<std::string>{Arguments.front(), "@" + File};
}

Expected<std::string> Workspace::saveStdin() {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getSTDIN();
  if (!Text)
    return objectError("<stdin>",
                       "cannot be read: " + Text.getError().message() +
                           "; give a file");
  std::string File = path() + "/stdin";
  if (Error E = writeFile(File, (*Text)->getBuffer()))
    return std::move(E);
  return File;
}

std::vector<std::string> Workspace::environment() const {
  std::vector<std::string> Result;
  for (char **Variable = environ; *Variable; ++Variable)
    if (!StringRef(*Variable).starts_with("TMPDIR="))
      Result.push_back(*Variable);
  if (!Dir.empty())
    Result.push_back("TMPDIR=" + path());
  return Result;
}

} // namespace kpack::driver
