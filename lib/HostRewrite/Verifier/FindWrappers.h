//===- FindWrappers.h - wrappers without section headers --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wrappers are known by their first twelve bytes in what is mapped: magic,
// version, and a pointer after them, at a multiple of eight. What stands in
// executable memory may be a constant of an instruction, so there it is one
// only when it leads to a marker.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_FINDWRAPPERS_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_FINDWRAPPERS_H

#include "HostRewrite/Verifier/Verifier.h"
#include "LoadedImage.h"

namespace kpack::hostrewrite::verifier {

/// Adds what looks like a wrapper in \p Bytes, which stand at \p Offset of the
/// file and at \p Address in memory.
void findWrappersIn(llvm::StringRef Bytes, uint64_t Address, uint64_t Offset,
                    std::vector<HostWrapper> &Found);

/// The marker at the start of \p Bytes: its map and nothing after it; empty
/// when there is none.
llvm::StringRef markerIn(llvm::StringRef Bytes);

/// The size of the device code at the start of \p Bytes, a bundle of any kind
/// or a code object, from its own header; 0 when there is none. Nothing is
/// decompressed.
uint64_t bundleSizeIn(llvm::StringRef Bytes);

/// All that look like wrappers, in the order of addresses; their pointers are
/// those in the file.
std::vector<HostWrapper> findWrappers(const LoadedImage &Image);

inline llvm::StringRef markerAt(const LoadedImage &Image, uint64_t Address) {
  return markerIn(Image.bytesFrom(Address));
}

inline uint64_t bundleSizeAt(const LoadedImage &Image, uint64_t Address) {
  return bundleSizeIn(Image.bytesFrom(Address));
}

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_FINDWRAPPERS_H
