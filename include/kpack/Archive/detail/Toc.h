//===- detail/Toc.h - an archive's table of contents in memory --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of contents in memory: sorted vectors whose strings point into the
// file. TocParser.h fills it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_TOC_H
#define KPACK_ARCHIVE_DETAIL_TOC_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kpack {

/// One code object of an archive: toc[Binary][Arch]. The strings live as long
/// as the reader.
struct ArchiveEntry {
  std::string_view Binary;
  std::string_view Arch;
  std::string_view Type; // "hsaco"
  uint64_t Ordinal = 0;  // index of the blob; shared by equal code objects
  uint64_t OriginalSize = 0;
  /// The location of the stored bytes, if the archive has it; a hint that the
  /// reader checks, since the ordinal decides.
  bool HasHint = false;
  uint64_t Offset = 0;
  uint64_t StoredSize = 0;
  /// XXH3-128 of the code object in canonical form, 16 bytes; or empty.
  std::string_view Hash;
  /// Name of the source that it was compiled from; or empty. For messages.
  std::string_view Source;

  /// Returns "entry 'app#0' for 'gfx90a'", for messages.
  std::string describe() const {
    return "entry '" + std::string(Binary) + "' for '" + std::string(Arch) +
           "'";
  }
};

namespace detail {

/// A range of bytes of the file.
struct Extent {
  uint64_t Offset = 0;
  uint64_t Size = 0;
};

struct Toc {
  std::string_view GroupName;
  std::string_view ArchFamily;
  std::optional<std::string_view> SchemeName;
  std::optional<uint64_t> ZstdOffset;
  std::optional<uint64_t> ZstdSize;
  std::vector<std::string_view> Architectures;
  std::vector<Extent> Blobs;
  std::vector<std::string_view> Binaries;
  std::vector<ArchiveEntry> Entries;
  /// One `archive_id` for all kernel names, or one for each (sorted).
  std::string_view ArchiveId;
  std::vector<std::pair<std::string_view, std::string_view>> ArchiveIds;
  std::string_view DeviceDebug;
};

} // namespace detail
} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_TOC_H
