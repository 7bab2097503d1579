//===- Support/Files.h - reads and writes of whole files --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads to the end and writes everything, through interruptions and short
// counts, for code without LLVM. Outputs that must appear complete or not at
// all use OutputFile.h, large inputs MappedFile.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_FILES_H
#define KPACK_SUPPORT_FILES_H

#include "kpack/Support/Status.h"
#include "kpack/Support/UniqueFd.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace kpack {

/// Returns false, with errno set, unless all of \p Bytes were written. A limit
/// on file sizes (ulimit -f) is a failure with EFBIG and does not end the
/// process.
bool writeAll(int Fd, std::string_view Bytes);

/// Returns the rest of \p Fd, at most \p Most bytes; nullopt, with errno set,
/// if it cannot be read.
std::optional<std::string> readToEnd(int Fd, uint64_t Most = UINT64_MAX);

/// Reads \p Size bytes of \p Fd from \p Offset on. Returns their number, less
/// than \p Size only at the end of the file; -1, with errno set, on failure.
ssize_t readAt(int Fd, void *Buffer, size_t Size, uint64_t Offset);

/// Opens \p Path, relative to \p Folder, for writing. Fails, with errno set, if
/// it is a symbolic link or has several names: a user who may write to the
/// folder could have given any file this name.
UniqueFd openToWrite(int Folder, const std::string &Path, int Flags,
                     mode_t Mode);

/// Returns the contents of the file at \p Path, or an IoError.
Result<std::string> readFile(const std::string &Path);

/// Returns at most \p Most bytes of the file at \p Path; none if it cannot be
/// read without blocking. Waits only for the end of another process's lease.
std::string readContent(const std::string &Path, uint64_t Most = UINT64_MAX);

} // namespace kpack

#endif // KPACK_SUPPORT_FILES_H
