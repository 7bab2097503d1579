//===- Runtime/BinaryPath.h - which file is at an address -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relative search paths start at the folder of the binary that holds the
// marker. /proc/self/maps is the only source that knows data segments and gives
// the real, absolute path; it needs care with names that contain spaces,
// newlines (which it writes as \012) or end in " (deleted)".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_BINARYPATH_H
#define KPACK_RUNTIME_BINARYPATH_H

#include "kpack/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kpack::runtime {

/// A place in a file.
struct FilePlace {
  std::string Path;
  uint64_t Offset = 0;
};

/// The file that is mapped at \p Address in this process; PathDiscoveryFailed
/// when there is none.
Result<FilePlace> findBinary(const void *Address);

/// One line of /proc/self/maps, without the newline.
struct MapsLine {
  uint64_t Begin, End, FileOffset;
  uint64_t Device, Inode;
  std::string_view Name; // as written; empty for anonymous memory
};
std::optional<MapsLine> parseMapsLine(std::string_view Line);

/// The line for \p Address in \p Maps, which is /proc/self/maps, just opened.
/// Its name stands in \p Buffer, with a newline after it; a line that does not
/// fit there ends the search. Safe in a signal handler.
std::optional<MapsLine> findMapsLine(int Maps, const void *Address,
                                     char *Buffer, size_t Size);

/// The path that the name of a maps line stands for: escapes undone, and
/// without " (deleted)" unless a file of that very name exists.
std::string mapsLinePath(const MapsLine &Line);

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_BINARYPATH_H
