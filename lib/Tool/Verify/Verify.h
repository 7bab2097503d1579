//===- Tool/Verify/Verify.h - parts of kpack verify -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks of `kpack verify`. VerifyArchive.cpp and VerifyBinary.cpp check a
// file and list every problem; both read code objects with VerifyEntries.cpp.
// VerifyOriginal.cpp compares a binary with its original, VerifyTree.cpp
// compares trees. Verify.cpp prints the results.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_VERIFY_VERIFY_H
#define KPACK_TOOL_VERIFY_VERIFY_H

#include "Tool/HostBinary.h"
#include "Tool/TargetScope.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <set>
#include <string>
#include <vector>

namespace kpack::tool {

struct VerifyReport {
  std::string Path;
  /// "archive", "binary", "reference", "unknown"; in a tree, "file".
  std::string Kind;
  /// Complete messages, "<object>: <what>; <how to fix>".
  std::vector<std::string> Problems;
  /// Legal, but notable, such as a wrapper without code for an architecture.
  std::vector<std::string> Notes;
  /// A line about a valid file, "4 code objects, 2 architectures".
  std::string Summary;

  void problem(const llvm::Twine &Message) {
    Problems.push_back(Message.str());
  }
};

/// \p UnpackedAlways is the size to which each entry may expand in memory even
/// if it is small (Support/UnpackLimit.h).
VerifyReport verifyArchive(llvm::StringRef Path, uint64_t UnpackedAlways);

/// The code that a binary needs: all that it was built for, or the named
/// targets and devices.
struct VerifyScope : TargetScope {
  /// Targets that are required for every binary.
  std::vector<std::string> Expected;
  /// The original file or tree to compare with, or empty.
  std::string Original;

  bool wants(llvm::StringRef Arch) const {
    return llvm::is_contained(Expected, Arch) || TargetScope::wants(Arch);
  }
};

/// Returns the archives and the binaries with HIP code in the folder \p Root,
/// ordered by name; ignores other files.
std::vector<std::string> findHipFiles(llvm::StringRef Root,
                                      std::vector<std::string> &Problems);

/// \p Original is the file before its conversion; empty: no comparison.
VerifyReport verifyBinary(llvm::StringRef Path, const VerifyScope &Scope,
                          llvm::StringRef Original);

/// True if a loader finds HIP code in the file.
bool hasHipCode(const std::string &Path);

/// Returns a complete message if \p Binary launches kernels that nothing
/// registers, or an empty string.
std::string unregisteredKernels(const HostBinary &Binary);

/// The comparison of a packed tree with its original.
struct TreeVerdict {
  /// Reports of archives, host-only binaries, references, and wrong files.
  std::vector<VerifyReport> Files;
  /// Number of files, links and folders of the original; numbers of files that
  /// are equal, became host-only, went into archives, or were left out.
  size_t Entries = 0, Same = 0, Converted = 0, Packed = 0, LeftOut = 0;
  /// Numbers of archives, and of other entries, that only the packed tree has.
  size_t Archives = 0, Added = 0;
  /// Targets whose code only the original has.
  std::set<std::string> TargetsLeftOut;

  size_t problemCount() const;
  /// Returns "25 entries, 5 converted, ...".
  std::string describe() const;
};

/// Compares the folder \p Packed with Scope.Original. Fails if one of the two
/// cannot be read.
llvm::Expected<TreeVerdict> verifyTree(llvm::StringRef Packed,
                                       const VerifyScope &Scope);

/// Returns the problems of \p Binary as a conversion of the file \p Original;
/// if that is not its original, only this problem.
std::vector<std::string> compareWithOriginal(const HostBinary &Binary,
                                             const std::string &Original);

/// Reads \p Entries and appends their problems to \p Problems, in the order of
/// \p Entries. Shared data is read once.
void verifyEntries(const ArchiveReader &Archive,
                   const std::vector<const ArchiveEntry *> &Entries,
                   uint64_t UnpackedAlways, std::vector<std::string> &Problems);

} // namespace kpack::tool

#endif // KPACK_TOOL_VERIFY_VERIFY_H
