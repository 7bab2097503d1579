//===- Outputs/ArchiveOwner.h - the binary that owns an archive -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If two programs are linked with the same archive path, the second would
// replace the first one's device code, which shows only when the first one
// runs. The keys of an archive identify the owners of its code.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_ARCHIVEOWNER_H
#define KPACK_OUTPUTS_ARCHIVEOWNER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace kpack {

/// Fails if the archive at \p Path has device code of a binary other than \p
/// KernelName. An archive of this binary alone, from an earlier link, may be
/// replaced; so may a file that is not an archive, as linkers do.
llvm::Error checkOwner(const std::string &Path, const std::string &KernelName);

/// Returns the binary that owns \p Key: app for app#1; for a database file,
/// which has no number, the key itself.
inline llvm::StringRef binaryOfKey(llvm::StringRef Key) {
  return Key.rsplit('#').first;
}

/// True if the archive at \p Path has code of this binary's build \p Id only.
/// False for unreadable files and for builds without an id.
bool hasOnly(const std::string &Path, const std::string &KernelName,
             const std::string &Id);

} // namespace kpack

#endif // KPACK_OUTPUTS_ARCHIVEOWNER_H
