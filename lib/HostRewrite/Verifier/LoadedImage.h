//===- LoadedImage.h - an ELF file as a loader maps it ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps addresses to bytes by PT_LOAD alone, and checks the rules of the kernel
// and of glibc's _dl_map_object_from_fd(): bytes beyond the end of the file,
// offsets that do not match their addresses, segments out of order.
// Segments.cpp checks the other program headers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_LOADEDIMAGE_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_LOADEDIMAGE_H

#include "Findings.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace kpack::hostrewrite::verifier {

/// A program header.
struct Segment {
  uint32_t Type, Flags;
  uint64_t Offset, Address, FileSize, MemorySize, Align;

  uint64_t endOfFile() const { return Address + FileSize; }
  uint64_t endOfMemory() const { return Address + MemorySize; }
};

inline constexpr uint64_t EhdrSize = 64;
inline constexpr uint64_t PhdrSize = 56;
/// The smallest page size of machines with HIP.
inline constexpr uint64_t PageSize = 4096;
/// No program has an address beyond.
inline constexpr uint64_t AddressLimit = uint64_t(1) << 47;

class LoadedImage {
public:
  /// Returns nullopt, with the reason in \p F, if no loader could map the file.
  static std::optional<LoadedImage> read(llvm::StringRef File, Findings &F);

  llvm::StringRef file() const { return File; }
  uint16_t type() const { return Type; }
  uint16_t machine() const { return Machine; }
  uint64_t entry() const { return Entry; }
  uint64_t headersOffset() const { return HeadersOffset; }
  /// A static or dynamic program, which the kernel maps.
  bool isProgram() const;
  /// Output of objcopy --only-keep-debug: headers without contents.
  bool isDebugFile() const;
  /// True if addresses move when the file is loaded.
  bool isMovable() const;

  llvm::ArrayRef<Segment> segments() const { return Segments; }
  const Segment *segment(uint32_t Type) const;
  /// PT_LOAD segments, ordered by address, without overlap; FileSize is cut at
  /// the end of the file.
  llvm::ArrayRef<Segment> loads() const { return Loads; }

  /// Returns the PT_LOAD whose memory has \p Address, or null.
  const Segment *loadAt(uint64_t Address) const;
  /// Returns the file bytes mapped from \p Address to the end of its segment.
  llvm::StringRef bytesFrom(uint64_t Address) const;
  /// Returns \p Size bytes at \p Address, or nullopt if not all are in the
  /// file.
  std::optional<llvm::StringRef> bytesAt(uint64_t Address, uint64_t Size) const;
  std::optional<uint64_t> offsetOf(uint64_t Address) const;
  /// True if one PT_LOAD with \p Flags contains the whole range.
  bool isMapped(uint64_t Address, uint64_t Size, uint32_t Flags) const;

private:
  bool readHeader(Findings &F);
  bool readProgramHeaders(Findings &F);
  bool addLoad(Segment S, Findings &F);

  llvm::StringRef File;
  uint16_t Type = 0, Machine = 0;
  uint64_t Entry = 0, HeadersOffset = 0;
  std::vector<Segment> Segments, Loads;
};

/// Checks the other program headers.
void checkSegments(const LoadedImage &Image, Findings &F);

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_LOADEDIMAGE_H
