//===- Replacements.cpp - backups of replaced files -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// save() makes a hard link, not a copy: it needs no space, and the old file
// keeps its name until the rename. If no link can be made, the old file is
// renamed away, and its path is briefly free.
//
// The destructor goes backwards, so that a path that was replaced twice gets
// its first file. A rename between two links of one file does nothing and
// succeeds, so the saved name is removed after it in any case. Saved names look
// like other temporary ones: after a kill -9 the next link's removeLeftovers()
// removes them.
//
//===----------------------------------------------------------------------===//
#include "Outputs/Replacements.h"

#include "kpack/Support/OutputPlace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"

#include <cstdio>
#include <unistd.h>

using namespace llvm;

namespace kpack {

std::string temporaryNameFor(StringRef Path) {
  // Excludes the directory, whose name may contain '%'.
  SmallString<16> Unique;
  sys::fs::createUniquePath("%%%%%%%%", Unique, /*MakeAbsolute=*/false);
  return temporaryStem(Path.str()) + std::string(Unique);
}

std::error_code Replacements::save(StringRef Path) {
  sys::fs::file_status Status;
  if (std::error_code EC = sys::fs::status(Path, Status, /*follow=*/false)) {
    if (EC != std::errc::no_such_file_or_directory)
      return EC;
    Files.push_back({Path.str(), ""});
    return {};
  }
  if (Status.type() == sys::fs::file_type::directory_file)
    return {}; // the rename will fail and report it

  std::string Saved = temporaryNameFor(Path);
  std::string From = Path.str();
  if (link(From.c_str(), Saved.c_str()) != 0 &&
      ::rename(From.c_str(), Saved.c_str()) != 0)
    return errnoAsErrorCode();
  Files.push_back({std::move(From), std::move(Saved)});
  return {};
}

void Replacements::forget() {
  for (const Replaced &File : Files)
    if (!File.Saved.empty())
      unlink(File.Saved.c_str());
  Files.clear();
}

Replacements::~Replacements() {
  for (const Replaced &File : reverse(Files)) {
    if (File.Saved.empty()) {
      unlink(File.Path.c_str());
      continue;
    }
    ::rename(File.Saved.c_str(), File.Path.c_str());
    // Still there if both are the same file, which was not replaced.
    unlink(File.Saved.c_str());
  }
}

} // namespace kpack
