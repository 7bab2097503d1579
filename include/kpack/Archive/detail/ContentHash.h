//===- Archive/detail/ContentHash.h - XXH3-128 of a code object -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hash of each code object in an archive: XXH3-128, seed 0, in xxHash's
// canonical (big-endian) form. It detects damage, but not forged collisions.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_CONTENTHASH_H
#define KPACK_ARCHIVE_DETAIL_CONTENTHASH_H

#include <array>
#include <string_view>

namespace kpack {
namespace detail {

using ContentHash = std::array<char, 16>;

ContentHash contentHash(std::string_view Bytes);

} // namespace detail
} // namespace kpack

#ifndef KPACK_ARCHIVE_LIBRARY
#include "kpack/Archive/detail/ContentHashImpl.h"
#endif

#endif // KPACK_ARCHIVE_DETAIL_CONTENTHASH_H
