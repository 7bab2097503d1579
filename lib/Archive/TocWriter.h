//===- TocWriter.h - writer of the table of contents ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of contents that the writer collects, and its serialisation. All
// maps are ordered, so equal contents give equal bytes.
// kpack/Archive/detail/TocParser.h reads it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_ARCHIVE_TOCWRITER_H
#define KPACK_LIB_ARCHIVE_TOCWRITER_H

#include "kpack/Archive/Format.h"
#include "kpack/Archive/detail/ContentHash.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kpack {
namespace detail {

/// The bytes of one ordinal.
struct StoredBlob {
  uint64_t Offset = 0; // of the bytes or the zstd frame, in the file
  uint64_t StoredSize = 0;
  uint64_t OriginalSize = 0;
  ContentHash Hash = {};
};

struct TocContents {
  using Ordinals = std::map<std::string, uint64_t, std::less<>>;

  std::string GroupName;
  std::string ArchFamily;
  std::set<std::string, std::less<>> Architectures;
  CompressionScheme Scheme = CompressionScheme::None;
  uint64_t ZstdSize = 0;         // the blob with its count
  std::vector<StoredBlob> Blobs; // by ordinal
  /// Binary -> architecture -> ordinal.
  std::map<std::string, Ordinals, std::less<>> Binaries;
  /// Binary -> name of its source; only those that have one.
  std::map<std::string, std::string, std::less<>> Sources;
  /// Kernel name -> archive id.
  std::map<std::string, std::string, std::less<>> ArchiveIds;
  /// ArchiveWriterOptions::IsShared.
  bool IsShared = false;
  /// Path of the separate debug information; empty if there is none.
  std::string DeviceDebug;
};

std::string serializeToc(const TocContents &Toc);

} // namespace detail
} // namespace kpack

#endif // KPACK_LIB_ARCHIVE_TOCWRITER_H
