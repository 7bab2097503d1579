//===- Tool/Verify/Verify.h - find what is wrong with a file ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks of `kpack verify`. Two look at one file each and list every
// problem that they find, VerifyArchive.cpp and VerifyBinary.cpp; both read
// code objects with VerifyEntries.cpp. VerifyOriginal.cpp compares a binary
// with the one it was made of, VerifyTree.cpp trees. Verify.cpp prints it all.
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
  /// "archive", "binary", "reference", "unknown"; of a tree, "file".
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

/// \p UnpackedAlways: what each of its entries may become in memory, however
/// small it is (Support/UnpackLimit.h).
VerifyReport verifyArchive(llvm::StringRef Path, uint64_t UnpackedAlways);

/// What of a binary has to be there: all that it was built for, or the targets
/// and devices that are named.
struct VerifyScope : TargetScope {
  /// Targets that have to be there, whatever the binary says.
  std::vector<std::string> Expected;
  /// The file or tree that another one was made of; empty: none is compared.
  std::string Original;

  bool wants(llvm::StringRef Arch) const {
    return llvm::is_contained(Expected, Arch) || TargetScope::wants(Arch);
  }
};

/// What of the folder \p Root is an archive, or a binary with HIP code, in the
/// order of names. A tree has all sorts of other files.
std::vector<std::string> hipFilesOf(llvm::StringRef Root,
                                    std::vector<std::string> &Problems);

/// \p Original is the file that it was converted from; empty: it is not
/// compared.
VerifyReport verifyBinary(llvm::StringRef Path, const VerifyScope &Scope,
                          llvm::StringRef Original);

/// Whether a loader of HIP code finds something in the file.
bool hasHipCode(const std::string &Path);

/// That \p Binary launches kernels that nothing registers, as a complete
/// message; empty: it does not.
std::string unregisteredKernels(const HostBinary &Binary);

/// A packed tree beside the one that it was made of.
struct TreeVerdict {
  /// Of archives, host-only binaries and references, and of what is wrong.
  std::vector<VerifyReport> Files;
  /// Files, links and folders of the original; of the files, those that are the
  /// same, became host-only, went into archives, or stayed out.
  size_t Entries = 0, Same = 0, Converted = 0, Packed = 0, LeftOut = 0;
  /// Archives of the packed tree; and other entries that only it has.
  size_t Archives = 0, Added = 0;
  /// Whose code is in the original alone.
  std::set<std::string> TargetsLeftOut;

  size_t problemCount() const;
  /// "25 entries, 5 converted, ...".
  std::string describe() const;
};

/// Compares the folder \p Packed with Scope.Original. Errors: one of the two
/// cannot be read.
llvm::Expected<TreeVerdict> verifyTree(llvm::StringRef Packed,
                                       const VerifyScope &Scope);

/// What is wrong with \p Binary as a conversion of the file \p Original; where
/// it was converted from another one, that alone.
std::vector<std::string> compareWithOriginal(const HostBinary &Binary,
                                             const std::string &Original);

/// Reads \p Entries and appends what is wrong with them to \p Problems, in the
/// order of \p Entries. What several of them share is read once.
void verifyEntries(const ArchiveReader &Archive,
                   const std::vector<const ArchiveEntry *> &Entries,
                   uint64_t UnpackedAlways, std::vector<std::string> &Problems);

} // namespace kpack::tool

#endif // KPACK_TOOL_VERIFY_VERIFY_H
