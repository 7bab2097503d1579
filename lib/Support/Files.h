//===- Support/Files.h - whole files and pipes ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading to the end and writing all of it, through interruptions and short
// counts, for code that has no LLVM. Outputs that must appear complete or not
// at all: OutputFile.h. Large inputs: MappedFile.h.
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

/// False, with errno set, when not all of \p Bytes could be written. A limit on
/// file sizes (ulimit -f) is such a failure, EFBIG, and does not end the
/// process.
bool writeAll(int Fd, std::string_view Bytes);

/// What is left of \p Fd, at most \p Most bytes. Nothing, with errno set, when
/// it cannot be read.
std::optional<std::string> readToEnd(int Fd, uint64_t Most = UINT64_MAX);

/// \p Size bytes of \p Fd from \p Offset on. How many there were: fewer only
/// where the file ends; -1, with errno set, when they cannot be read.
ssize_t readAt(int Fd, void *To, size_t Size, uint64_t Offset);

/// Opens \p Path, seen from \p Folder, to write to it. None, with errno set,
/// where it is a symbolic link, or a file that has other names as well: who may
/// write to the folder could have given any file this name.
UniqueFd openToWrite(int Folder, const std::string &Path, int Flags,
                     mode_t Mode);

/// The bytes of the file at \p Path. Errors: IoError.
Result<std::string> readFile(const std::string &Path);

/// At most \p Most bytes of the file at \p Path; none where it cannot be read
/// without waiting.
std::string contentOf(const std::string &Path, uint64_t Most = UINT64_MAX);

} // namespace kpack

#endif // KPACK_SUPPORT_FILES_H
