//===- OffloadImages.h - reader of LLVM's OffloadBinary ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the output of llvm-offload-binary and clang-linker-wrapper, versions 1
// (one image) and 2 (several; strings have a length). LLVM 22 reads version 1
// only, LLVM 19 numbers the producers differently; this reader supports all of
// them, checks every offset, and does not need an aligned buffer. Used by
// DevicePayload.cpp, which adds its own strings, and FatBinary.cpp.
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
  uint64_t Size = 0; ///< of the whole file, from its header
  std::vector<OffloadImage> Images;
};

/// Reads the OffloadBinary at the start of \p Bytes. Errors describe the
/// damage, without object and remedy.
llvm::Expected<OffloadImages> readOffloadImages(llvm::StringRef Bytes);

/// Reads version and size only.
llvm::Expected<OffloadImages> readOffloadHeader(llvm::StringRef Bytes);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_OFFLOADIMAGES_H
