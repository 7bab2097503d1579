//===- ToolSupport/TemporaryFolder.h - folders of a run ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's createUniqueDirectory() replaces every '%' of a path by a random
// digit, also in the name that TMPDIR has. This takes TMPDIR as it is.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_TEMPORARYFOLDER_H
#define KPACK_TOOLSUPPORT_TEMPORARYFOLDER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <system_error>

namespace kpack {

/// Makes a folder that only this user may enter, whose name begins with
/// \p Prefix: below TMPDIR, or where \p Prefix says if that is absolute.
/// \p Path becomes its path; after an error it is what it was.
std::error_code makeTemporaryFolder(llvm::StringRef Prefix,
                                    llvm::SmallVectorImpl<char> &Path);

/// The folder that TMPDIR names, for messages.
std::string temporaryParent();

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_TEMPORARYFOLDER_H
