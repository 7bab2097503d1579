//===- OffloadImages.h - LLVM's OffloadBinary -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what llvm-offload-binary and clang-linker-wrapper write, versions 1
// (one image) and 2 (several; strings have a length). LLVM 22 reads version 1
// alone, LLVM 19 numbers the producers otherwise; this reader knows all of
// them, checks every offset, and does not need an aligned buffer. Users:
// DevicePayload.cpp, which has strings of its own in it, and FatBinary.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_OFFLOAD_OFFLOADIMAGES_H
#define KPACK_LIB_OFFLOAD_OFFLOADIMAGES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kpack::offload {

inline constexpr llvm::StringLiteral OffloadBinaryMagic = "\x10\xFF\x10\xAD";
/// A string that only kpack's payloads have.
inline constexpr llvm::StringLiteral OffloadTokenKey = "kpack.token";

struct OffloadImage {
  uint16_t ImageKind = 0;
  uint16_t Producer = 0;
  uint32_t Flags = 0;
  std::optional<llvm::StringRef> Triple, Target, Token;
  llvm::StringRef Bytes;

  bool isHip() const { return Producer == 3 || Producer == 4; }
};

struct OffloadImages {
  unsigned Version = 0;
  uint64_t Size = 0; ///< of the whole, as its header says
  std::vector<OffloadImage> Images;
};

/// Reads the OffloadBinary at the start of \p Bytes. The error says what is
/// wrong with it, without an object and without advice.
llvm::Expected<OffloadImages> readOffloadImages(llvm::StringRef Bytes);

/// Its version and size alone.
llvm::Expected<OffloadImages> readOffloadHeader(llvm::StringRef Bytes);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_OFFLOADIMAGES_H
