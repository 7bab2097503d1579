//===- Outputs/ArchiveOwner.h - whose archive is replaced -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two programs that are linked with one archive path: the second would take
// the first one's device code away, and nobody would notice before the first
// one runs. An archive says by its keys whose code it holds.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_ARCHIVEOWNER_H
#define KPACK_OUTPUTS_ARCHIVEOWNER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace kpack {

/// An error when the archive that is at \p Path has device code of another
/// binary than \p KernelName. One of this binary alone, of an older link, is
/// what is to be replaced; a file that is no archive is replaced as linkers do.
llvm::Error checkOwner(const std::string &Path, const std::string &KernelName);

/// The binary whose code \p Key leads to in an archive: app of app#1, and a
/// database file's own name, which has no number.
inline llvm::StringRef binaryOfKey(llvm::StringRef Key) {
  return Key.rsplit('#').first;
}

/// Whether the archive at \p Path has code of this binary's build \p Id and of
/// nothing else. What cannot be read has not, and no build is without an id.
bool hasOnly(const std::string &Path, const std::string &KernelName,
             const std::string &Id);

} // namespace kpack

#endif // KPACK_OUTPUTS_ARCHIVEOWNER_H
