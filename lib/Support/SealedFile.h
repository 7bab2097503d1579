//===- Support/SealedFile.h - unnamed files in memory -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files in memory: kernels that cannot be stored on disk or mapped from there,
// and requests to helper programs. A sealed file cannot be changed, even
// through an open descriptor.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_SEALEDFILE_H
#define KPACK_SUPPORT_SEALEDFILE_H

#include "kpack/Support/UniqueFd.h"

#include <string>

namespace kpack {

/// Makes an empty file, closed on exec. Lists of mappings show \p Name. Returns
/// no descriptor, with errno set, if there is no memory or the system forbids
/// such files.
UniqueFd memoryFile(const std::string &Name);

/// Makes the file read-only. Errors are ignored, as old kernels lack some seals
/// and no caller depends on them.
void sealFile(int File);

} // namespace kpack

#endif // KPACK_SUPPORT_SEALEDFILE_H
