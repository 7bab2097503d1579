//===- detail/ContentHashImpl.h - function of ContentHash.h -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of ContentHash.h. Includes xxHash as a header, so that none of its
// symbols is exported or clashes with a linked libxxhash.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_CONTENTHASHIMPL_H
#define KPACK_ARCHIVE_DETAIL_CONTENTHASHIMPL_H

#include "kpack/Archive/detail/ContentHash.h"
#include "kpack/Archive/detail/Inline.h"

#include <cstring>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#define KPACK_UNDEF_XXH_INLINE_ALL
#endif
#include <xxhash.h>
#ifdef KPACK_UNDEF_XXH_INLINE_ALL
#undef XXH_INLINE_ALL
#undef KPACK_UNDEF_XXH_INLINE_ALL
#endif

namespace kpack {
namespace detail {

KPACK_ARCHIVE_INLINE ContentHash contentHash(std::string_view Bytes) {
  XXH128_canonical_t Canonical;
  XXH128_canonicalFromHash(&Canonical,
                           XXH3_128bits(Bytes.data(), Bytes.size()));
  ContentHash Hash;
  std::memcpy(Hash.data(), Canonical.digest, Hash.size());
  return Hash;
}

} // namespace detail
} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_CONTENTHASHIMPL_H
