//===- kpack/Archive/Marker.h - the .rocm_kpack_ref marker ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a host-only binary says of its device code (docs/format/marker.md):
// one MessagePack map that fills the section exactly,
//
//   { "kpack_search_paths": [str, ...], "kernel_name": str,
//     "archive_id": str }                     ; the last one optional
//
// Written by the linker and the converters, read by the runtime through a bare
// pointer: the decoder is told how many bytes may be looked at and never reads
// beyond the end of the map.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_MARKER_H
#define KPACK_ARCHIVE_MARKER_H

#include "kpack/Support/Status.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kpack {

/// Name of the section in ELF files.
inline constexpr std::string_view MarkerSectionName = ".rocm_kpack_ref";
/// The shipped readers look at no more than this.
inline constexpr size_t MaxMarkerSize = 64 * 1024;
/// In a search path: replaced by the target id that is looked for.
inline constexpr std::string_view ArchPlaceholder = "@GFXARCH@";

struct Marker {
  std::string KernelName;
  std::vector<std::string> SearchPaths;
  /// Identity of the code objects this binary was linked with; may be empty.
  std::string ArchiveId;
};

/// The map's bytes. InvalidArgument when they exceed MaxMarkerSize, or without
/// a search path.
Result<std::string> encodeMarker(const Marker &M);

/// Reads the map at the start of \p Bytes; what follows the map is ignored
/// unless \p Exact, which demands that the map fills Bytes. \p Size, if given,
/// receives the map's length. InvalidMetadata on anything malformed.
Result<Marker> decodeMarker(std::string_view Bytes, bool Exact = false,
                            size_t *Size = nullptr);

} // namespace kpack

#endif // KPACK_ARCHIVE_MARKER_H
