//===- HostBinary.h - a binary and its archives -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linked binary as the kpack loader would see it: marker, wrappers, and the
// archives that its search paths lead to, for every architecture that is there.
// Environment variables of the loader are left out on purpose: this is what the
// binary itself says. The bytes come from Offload/Wrappers.h.
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
  /// As the marker has it.
  std::string Text;
  /// Absolute, "." and ".." resolved, still with @GFXARCH@.
  PathTemplate Place;
  /// Sorted by architecture.
  std::vector<FoundArchive> Found;
  /// Why it could not be looked at; none when there is nothing to find.
  std::error_code Unreachable;
};

struct HostBinary {
  std::string Path;
  std::unique_ptr<llvm::MemoryBuffer> File;
  offload::LinkedBinary Linked;
  std::optional<Marker> Ref;
  /// No binary: what pack-tree has left of a code object.
  bool IsReference = false;
  /// Why there is no Ref although there is a marker section.
  std::string MarkerProblem;
  std::vector<SearchPath> SearchPaths;

  /// The key of wrapper \p Index in archives; Ref is there.
  std::string keyOf(uint64_t Index) const;
  /// The file's bytes from virtual address \p Address on, to the end of its
  /// segment; empty when it is not in the file.
  llvm::StringRef bytesAt(uint64_t Address) const;
};

/// Gives \p Use the images of the container at virtual address \p Address,
/// which a wrapper points to, one after the other.
llvm::Error
forEachImageAt(const HostBinary &Binary, uint64_t Address,
               llvm::function_ref<llvm::Error(offload::StreamedImage)> Use);

/// Whether a file that begins with \p Magic may be a reference.
inline bool mayBeReference(llvm::StringRef Magic) {
  return Magic == llvm::StringRef(ReferenceMagic).take_front(4);
}

/// The first four bytes of a file; \p EC says why there are none.
std::string magicOf(llvm::StringRef Path, std::error_code &EC);

/// Whether a file that begins with \p Magic may be a program or library.
bool looksLinked(llvm::StringRef Magic);

llvm::Expected<HostBinary> readHostBinary(llvm::StringRef Path);

/// The files that \p Text leads to from directory \p Directory, by the rule of
/// the loader: relative to the directory of the binary, and the first @GFXARCH@
/// of \p Text only.
SearchPath resolveSearchPath(llvm::StringRef Text, llvm::StringRef Directory);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_HOSTBINARY_H
