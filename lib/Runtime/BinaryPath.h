//===- Runtime/BinaryPath.h - file mapped at an address ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relative search paths start at the directory of the binary that holds the
// marker. Only /proc/self/maps covers data segments and has the real, absolute
// path; names in it may contain spaces, newlines (written as \012) or end in "
// (deleted)".
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

/// An offset in a file, in bytes.
struct FilePlace {
  std::string Path;
  uint64_t Offset = 0;
};

/// Returns the file that is mapped at \p Address in this process; fails with
/// PathDiscoveryFailed if there is none.
Result<FilePlace> findBinary(const void *Address);

/// One line of /proc/self/maps, without the newline.
struct MapsLine {
  uint64_t Begin, End, FileOffset;
  uint64_t Device, Inode;
  std::string_view Name; // as written; empty for anonymous memory
};
std::optional<MapsLine> parseMapsLine(std::string_view Line);

/// Finds the line for \p Address in \p Maps, a descriptor of /proc/self/maps at
/// its beginning. The returned name points into \p Buffer and is followed by a
/// newline; a line longer than \p Buffer ends the search. Safe in a signal
/// handler.
std::optional<MapsLine> findMapsLine(int Maps, const void *Address,
                                     char *Buffer, size_t Size);

/// Returns the path that a line names, with escapes undone. Strips " (deleted)"
/// unless a file of that very name exists.
std::string mapsLinePath(const MapsLine &Line);

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_BINARYPATH_H
