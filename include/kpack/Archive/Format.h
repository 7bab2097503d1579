//===- kpack/Archive/Format.h - constants of the .kpack format --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Container version 1, as docs/format/kpack-v1.md specifies it:
//
//   <archive> ::= <header> <blobs> <toc>          ; all integers little-endian
//   <header>  ::= "KPAK" <u32 version=1> <u64 toc offset> <48 zero bytes>
//   <blobs>   ::= <raw bytes>*                     ; compression_scheme "none"
//              |  <u32 count> (<u32 length> <zstd frame>)*  ; zstd-per-kernel
//   <toc>     ::= one MessagePack map, from its offset to the end of the file
//
// Writer: ArchiveWriter.h. Reader: ArchiveReader.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_FORMAT_H
#define KPACK_ARCHIVE_FORMAT_H

#include <cstdint>
#include <string_view>

namespace kpack {

inline constexpr std::string_view ArchiveMagic = "KPAK";
inline constexpr uint32_t ArchiveVersion = 1;
/// Size of the header, and the offset of the first blob.
inline constexpr uint64_t ArchiveHeaderSize = 64;

/// Limits of the readers that ROCm ships; the writer observes them.
inline constexpr uint64_t MaxZstdBlobSize = uint64_t(4) << 30;
inline constexpr uint64_t MaxZstdKernels = 1u << 20;

/// `device_debug` of an archive that holds debug information itself.
inline constexpr std::string_view DebugInItself = ".";

enum class CompressionScheme { None, ZstdPerKernel };

/// The value of `compression_scheme` in the table of contents.
inline constexpr std::string_view schemeName(CompressionScheme S) {
  return S == CompressionScheme::None ? "none" : "zstd-per-kernel";
}

} // namespace kpack

#endif // KPACK_ARCHIVE_FORMAT_H
