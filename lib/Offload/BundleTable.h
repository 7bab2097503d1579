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

/// An entry with device code, which lies inside of the bundle.
struct BundleItem {
  llvm::StringRef Id, Target;
  uint64_t Offset, Size;
};

struct BundleTable {
  /// In the order of the bundle.
  std::vector<BundleItem> Items;
  /// Of the whole bundle.
  uint64_t Size = 0;
};

/// The table of a plain bundle of which \p Start are the first bytes, the table
/// among them, and which ends within \p Size bytes. Errors: a table that is
/// damaged, or goes on after \p Start.
llvm::Expected<BundleTable>
readBundleTable(llvm::StringRef Start, uint64_t Size, llvm::StringRef Object);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_BUNDLETABLE_H
