//===- FindWrappers.h - wrappers found in loaded memory ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds wrappers by their first bytes in mapped memory, at a multiple of eight:
// magic, version, and a pointer after them. In executable memory these may be a
// constant of an instruction, so they count only if they lead to a marker.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_FINDWRAPPERS_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_FINDWRAPPERS_H

#include "HostRewrite/Verifier/Verifier.h"
#include "LoadedImage.h"

namespace kpack::hostrewrite::verifier {

/// Adds the candidates in \p Bytes, which are at \p Offset of the file and at
/// \p Address in memory.
void findWrappersIn(llvm::StringRef Bytes, uint64_t Address, uint64_t Offset,
                    std::vector<HostWrapper> &Found);

/// Returns the marker at the start of \p Bytes, its map and nothing after it,
/// or nothing.
llvm::StringRef markerIn(llvm::StringRef Bytes);

/// Returns the size of the device code at the start of \p Bytes, a bundle of
/// any kind or a code object, from its header; 0 if there is none. Decompresses
/// nothing.
uint64_t bundleSizeIn(llvm::StringRef Bytes);

/// Returns all candidates, ordered by address, with the pointers of the file.
std::vector<HostWrapper> findWrappers(const LoadedImage &Image);

inline llvm::StringRef markerAt(const LoadedImage &Image, uint64_t Address) {
  return markerIn(Image.bytesFrom(Address));
}

inline uint64_t bundleSizeAt(const LoadedImage &Image, uint64_t Address) {
  return bundleSizeIn(Image.bytesFrom(Address));
}

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_FINDWRAPPERS_H
