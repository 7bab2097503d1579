//===- LoadedImage.h - a file as it is mapped -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From addresses to bytes, by PT_LOAD alone, and what the kernel and glibc's
// _dl_map_object_from_fd() refuse or get wrong: bytes beyond the end of the
// file, offsets that do not fit their addresses, segments out of order. What
// the other program headers lead to is looked at by Segments.cpp.
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
/// The smallest page of the machines that HIP has.
inline constexpr uint64_t PageSize = 4096;
/// No address that a program can have is beyond.
inline constexpr uint64_t AddressLimit = uint64_t(1) << 47;

class LoadedImage {
public:
  /// Nothing when no loader could go on with the file, which \p F then says.
  static std::optional<LoadedImage> read(llvm::StringRef File, Findings &F);

  llvm::StringRef file() const { return File; }
  uint16_t type() const { return Type; }
  uint16_t machine() const { return Machine; }
  uint64_t entry() const { return Entry; }
  uint64_t headersOffset() const { return HeadersOffset; }
  /// A static or dynamic program: the kernel maps it.
  bool isProgram() const;
  /// What objcopy --only-keep-debug leaves: headers without contents.
  bool isDebugFile() const;
  /// Addresses move when it is loaded.
  bool isMovable() const;

  llvm::ArrayRef<Segment> segments() const { return Segments; }
  const Segment *segment(uint32_t Type) const;
  /// PT_LOAD, in the order of addresses, none over another; FileSize is cut at
  /// the end of the file.
  llvm::ArrayRef<Segment> loads() const { return Loads; }

  /// The PT_LOAD whose memory has \p Address, or null.
  const Segment *loadAt(uint64_t Address) const;
  /// What of the file is mapped at \p Address, to the end of that segment.
  llvm::StringRef bytesFrom(uint64_t Address) const;
  /// \p Size bytes at \p Address; nothing when not all come from the file.
  std::optional<llvm::StringRef> bytesAt(uint64_t Address, uint64_t Size) const;
  std::optional<uint64_t> offsetOf(uint64_t Address) const;
  /// Whether all of the range is in one PT_LOAD that has \p Flags.
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

/// Looks at what all the other program headers say.
void checkSegments(const LoadedImage &Image, Findings &F);

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_LOADEDIMAGE_H
