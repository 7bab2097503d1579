//===- CompressedBundle.h - clang's compressed bundles ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "CCOB": a header, and a plain bundle compressed with zlib or zstd. The header
// has the size, which leads to the next container; the data is read when the
// bundle is opened. Used by FatBinary.cpp and ImageStream.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_OFFLOAD_COMPRESSEDBUNDLE_H
#define KPACK_LIB_OFFLOAD_COMPRESSEDBUNDLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace kpack::offload {

inline constexpr llvm::StringLiteral CompressedMagic = "CCOB";

struct CompressedHeader {
  unsigned Version = 0;
  llvm::compression::Format Method = llvm::compression::Format::Zlib;
  uint64_t TotalSize = 0; ///< header and data
  uint64_t PlainSize = 0;
  /// The first eight bytes of the MD5 of the plain bytes; 0 if unknown.
  uint64_t Hash = 0;
  llvm::StringRef Data;
};

llvm::Expected<CompressedHeader> readCompressedHeader(llvm::StringRef Bytes,
                                                      llvm::StringRef Object);

/// Fails if the data cannot decompress to the size that the header states.
llvm::Error checkPlainSize(const CompressedHeader &Header,
                           llvm::StringRef Object);

/// Fails if \p Size bytes of the bundle exceed the memory limit
/// (Support/UnpackLimit.h).
llvm::Error checkUnpackedSize(const CompressedHeader &Header, uint64_t Size,
                              llvm::StringRef Object);

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
decompressBundle(const CompressedHeader &Header, llvm::StringRef Object);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_COMPRESSEDBUNDLE_H
