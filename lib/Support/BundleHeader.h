//===- Support/BundleHeader.h - of an offload bundle ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The beginning of an uncompressed offload bundle, the one kind that every HIP
// runtime reads:
//
//   "__CLANG_OFFLOAD_BUNDLE__" <u64 count> { <u64 offset> <u64 size> <id> }*
//
// The shim and the JIT's compile helper write it; where the code objects stand
// is their business. The reader, which knows compressed ones, too, is
// Offload/FatBinary.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_BUNDLEHEADER_H
#define KPACK_SUPPORT_BUNDLEHEADER_H

#include <cstdint>
#include <string>
#include <vector>

namespace kpack {

struct BundleEntry {
  std::string Id;
  uint64_t Offset = 0; // from the start of the bundle
  uint64_t Size = 0;
};

/// The id of the entry with a HIP program's code for \p Target.
std::string deviceEntryId(const std::string &Target);

/// Its length does not depend on offsets and sizes, so it can be measured
/// before they are known. Runtimes skip the first entry, the host's; tools
/// expect it.
std::string bundleHeader(const std::vector<BundleEntry> &Entries);

} // namespace kpack

#endif // KPACK_SUPPORT_BUNDLEHEADER_H
