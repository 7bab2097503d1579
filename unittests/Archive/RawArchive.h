//===- RawArchive.h - archives made byte by byte ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Archives and zstd frames byte by byte, for sizes that lie.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_ARCHIVE_RAWARCHIVE_H
#define KPACK_UNITTESTS_ARCHIVE_RAWARCHIVE_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace kpack::test {

inline void appendU32(std::string &Out, uint64_t Value) {
  for (unsigned I = 0; I != 4; ++I)
    Out.push_back(static_cast<char>(Value >> (8 * I)));
}

inline void appendU64(std::string &Out, uint64_t Value) {
  appendU32(Out, Value & UINT32_MAX);
  appendU32(Out, Value >> 32);
}

/// MessagePack, for maps and strings of fewer than 16 and 32 items.
inline std::string str(std::string_view Text) {
  return std::string(1, static_cast<char>(0xa0 | Text.size())) +
         std::string(Text);
}
inline std::string uint(uint64_t Value) {
  std::string Out(1, '\xcf');
  for (int Shift = 56; Shift >= 0; Shift -= 8)
    Out.push_back(static_cast<char>(Value >> Shift));
  return Out;
}
inline std::string map(unsigned Pairs) {
  return std::string(1, static_cast<char>(0x80 | Pairs));
}

/// An archive whose one zstd kernel is \p Frame and claims \p Size bytes.
inline std::string zstdArchive(const std::string &Frame, uint64_t Size) {
  std::string File = "KPAK";
  appendU32(File, 1);
  appendU64(File, 64 + 8 + Frame.size());
  File.resize(64);
  appendU32(File, 1);
  appendU32(File, Frame.size());
  return File + Frame + map(4) + str("compression_scheme") +
         str("zstd-per-kernel") + str("zstd_offset") + uint(64) +
         str("zstd_size") + uint(8 + Frame.size()) + str("toc") + map(1) +
         str("k") + map(1) + str("a") + map(2) + str("ordinal") + uint(0) +
         str("original_size") + uint(Size);
}

/// \p Size zero bytes in a frame of RLE blocks: 4 bytes give 128 KiB.
inline std::string rleFrame(uint64_t Size, uint64_t Promised,
                            unsigned WindowLog, uint64_t EmptyBlocks = 0) {
  constexpr uint64_t Block = 128 * 1024;
  std::string Frame("\x28\xb5\x2f\xfd", 4);
  Frame.push_back('\xc0'); // content size in 8 bytes, window descriptor
  Frame.push_back(static_cast<char>((WindowLog - 10) << 3));
  appendU64(Frame, Promised);
  Frame.append(3 * EmptyBlocks, '\0'); // raw, not the last, no bytes
  for (uint64_t Done = 0; Done != Size;) {
    uint64_t Length = std::min(Block, Size - Done);
    Done += Length;
    uint64_t Header = Length << 3 | 1 << 1 | (Done == Size);
    std::string Bytes;
    appendU32(Bytes, Header);
    Frame += Bytes.substr(0, 3) + std::string(1, '\0');
  }
  return Frame;
}

/// The same, padded until nothing but decompressing shows that \p Promised is a
/// lie.
inline std::string lyingFrame(uint64_t Size, uint64_t Promised,
                              unsigned WindowLog) {
  return rleFrame(Size, Promised, WindowLog, Promised / (96 * 1024));
}

constexpr uint64_t MiB = uint64_t(1) << 20;

} // namespace kpack::test

#endif // KPACK_UNITTESTS_ARCHIVE_RAWARCHIVE_H
