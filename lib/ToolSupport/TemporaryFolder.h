//===- TemporaryFolder.h - creation of temporary folders --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's createUniqueDirectory() replaces every '%' of a path by a random
// digit, even in TMPDIR. This function keeps TMPDIR unchanged.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_TEMPORARYFOLDER_H
#define KPACK_TOOLSUPPORT_TEMPORARYFOLDER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <system_error>

namespace kpack {

/// Creates a folder that only this user may enter. Its name begins with
/// \p Prefix, below TMPDIR unless \p Prefix is absolute. Sets \p Path to it;
/// after an error \p Path is unchanged.
std::error_code makeTemporaryFolder(llvm::StringRef Prefix,
                                    llvm::SmallVectorImpl<char> &Path);

/// Returns the folder of TMPDIR, for messages.
std::string temporaryParent();

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_TEMPORARYFOLDER_H
