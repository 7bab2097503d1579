//===- HostBinary.h - a binary and its archives -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shows a linked binary as the kpack loader sees it: marker, wrappers, and the
// archives of its search paths, for every architecture with a file. Ignores the
// loader's environment variables on purpose, to show the binary's own data.
// Offload/Wrappers.h reads the bytes.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_HOSTBINARY_H
#define KPACK_LIB_TOOL_HOSTBINARY_H

#include "Offload/ImageStream.h"
#include "Offload/Wrappers.h"
#include "Outputs/SearchPath.h"
#include "kpack/Archive/Marker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace kpack::tool {

struct SearchPath {
  /// Verbatim from the marker.
  std::string Text;
  /// Absolute, "." and ".." resolved, still with @GFXARCH@.
  PathTemplate Place;
  /// Sorted by architecture.
  std::vector<FoundArchive> Found;
  /// The error of the search; none if there is simply no file.
  std::error_code Unreachable;
};

struct HostBinary {
  std::string Path;
  std::unique_ptr<llvm::MemoryBuffer> File;
  offload::LinkedBinary Linked;
  std::optional<Marker> Ref;
  /// A reference, which pack-tree leaves in place of a code object.
  bool IsReference = false;
  /// The reason why there is a marker section but no Ref.
  std::string MarkerProblem;
  std::vector<SearchPath> SearchPaths;

  /// Returns the key of wrapper \p Index in archives; requires Ref.
  std::string getKey(uint64_t Index) const;
  /// Returns the file's bytes from virtual address \p Address to the end of its
  /// segment; empty if they are not in the file.
  llvm::StringRef bytesAt(uint64_t Address) const;
};

/// Passes the images of the container at virtual address \p Address, to which a
/// wrapper points, to \p Use one after another.
llvm::Error
forEachImageAt(const HostBinary &Binary, uint64_t Address,
               llvm::function_ref<llvm::Error(offload::StreamedImage)> Use);

/// True if a file that begins with \p Magic may be a reference.
inline bool mayBeReference(llvm::StringRef Magic) {
  return Magic == llvm::StringRef(ReferenceMagic).take_front(4);
}

/// Returns the first four bytes of a file; \p EC is the reason for none.
std::string readMagic(llvm::StringRef Path, std::error_code &EC);

/// True if a file that begins with \p Magic may be a program or library.
bool looksLinked(llvm::StringRef Magic);

llvm::Expected<HostBinary> readHostBinary(llvm::StringRef Path);

/// Finds the files of \p Text by the loader's rule: relative to \p Directory,
/// that of the binary, with the first @GFXARCH@ of \p Text only.
SearchPath resolveSearchPath(llvm::StringRef Text, llvm::StringRef Directory);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_HOSTBINARY_H
