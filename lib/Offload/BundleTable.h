//===- BundleTable.h - the entries of an offload bundle ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_OFFLOAD_BUNDLETABLE_H
#define KPACK_LIB_OFFLOAD_BUNDLETABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace kpack::offload {

inline constexpr llvm::StringLiteral BundleMagic = "__CLANG_OFFLOAD_BUNDLE__";

/// An entry with device code, inside the bundle.
struct BundleItem {
  llvm::StringRef Id, Target;
  uint64_t Offset, Size;
};

struct BundleTable {
  /// In the order of the bundle.
  std::vector<BundleItem> Items;
  /// Size of the whole bundle, in bytes.
  uint64_t Size = 0;
};

/// Reads the table of a plain bundle that ends within \p Size bytes. \p Start
/// holds its first bytes, including the table. Fails if the table is damaged or
/// extends past \p Start.
llvm::Expected<BundleTable>
readBundleTable(llvm::StringRef Start, uint64_t Size, llvm::StringRef Object);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_BUNDLETABLE_H
