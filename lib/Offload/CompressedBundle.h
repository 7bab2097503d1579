//===- CompressedBundle.h - clang's compressed bundles ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "CCOB": a header, and a plain bundle that zlib or zstd has compressed. The
// header says what is needed to find the next container; the rest is done when
// the bundle is opened. User: FatBinary.cpp.
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
  /// Of an MD5 of the plain bytes the first eight; 0: not known.
  uint64_t Hash = 0;
  llvm::StringRef Data;
};

llvm::Expected<CompressedHeader> readCompressedHeader(llvm::StringRef Bytes,
                                                      llvm::StringRef Object);

/// Whether the data can stand for as many bytes as the header says.
llvm::Error checkPlainSize(const CompressedHeader &Header,
                           llvm::StringRef Object);

/// Whether \p Size bytes of the bundle may be in memory
/// (Support/UnpackLimit.h).
llvm::Error checkUnpackedSize(const CompressedHeader &Header, uint64_t Size,
                              llvm::StringRef Object);

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
decompressBundle(const CompressedHeader &Header, llvm::StringRef Object);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_COMPRESSEDBUNDLE_H
