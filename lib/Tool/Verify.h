//===- Verify.h - find what is wrong with a file ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two checks behind `kpack verify`. Each looks at one file and lists every
// problem that it finds; VerifyArchive.cpp and VerifyBinary.cpp, printed by
// Verify.cpp. Both read code objects with VerifyEntries.cpp. Of a binary and
// its original: VerifyOriginal.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_VERIFY_H
#define KPACK_LIB_TOOL_VERIFY_H

#include "HostBinary.h"
#include "TargetScope.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace kpack::tool {

struct VerifyReport {
  std::string Path;
  /// "archive" or "binary".
  std::string Kind;
  /// Complete messages, "<object>: <what>; <how to fix>".
  std::vector<std::string> Problems;
  /// Legal, but worth knowing: a wrapper without code for an architecture.
  std::vector<std::string> Notes;
  /// One line on a file that is in order, "4 code objects, 2 architectures".
  std::string Summary;

  void problem(const llvm::Twine &Message) {
    Problems.push_back(Message.str());
  }
};

VerifyReport verifyArchive(llvm::StringRef Path);

/// What of a binary has to be there: all that it was built for, or the targets
/// and devices that are named.
struct VerifyScope : TargetScope {
  /// Targets that have to be there, whatever the binary says.
  std::vector<std::string> Expected;
  /// The file that a binary was converted from; empty: it is not compared.
  std::string Original;

  bool wants(llvm::StringRef Arch) const {
    return llvm::is_contained(Expected, Arch) || TargetScope::wants(Arch);
  }
};

/// What of the folder \p Root is an archive, or a binary with HIP code, in the
/// order of names. A tree has all sorts of other files.
std::vector<std::string> hipFilesOf(llvm::StringRef Root,
                                    std::vector<std::string> &Problems);

VerifyReport verifyBinary(llvm::StringRef Path, const VerifyScope &Scope);

/// What is wrong with \p Binary as a conversion of the file \p Original; where
/// it was converted from another one, that alone.
std::vector<std::string> compareWithOriginal(const HostBinary &Binary,
                                             const std::string &Original);

/// Reads \p Entries and appends what is wrong with them to \p Problems, in the
/// order of \p Entries. What several of them share is read once.
void verifyEntries(const ArchiveReader &Archive,
                   const std::vector<const ArchiveEntry *> &Entries,
                   std::vector<std::string> &Problems);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_VERIFY_H
