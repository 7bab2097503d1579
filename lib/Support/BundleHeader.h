//===- Support/BundleHeader.h - header of an offload bundle -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header of an uncompressed offload bundle, the only kind that every HIP
// runtime reads:
//
//   "__CLANG_OFFLOAD_BUNDLE__" <u64 count> { <u64 offset> <u64 size> <id> }*
//
// The shim and the JIT's compile helper write it and choose the places of the
// code objects. Offload/FatBinary.h reads bundles, including compressed ones.
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

/// Returns the id of the entry with a HIP program's code for \p Target.
std::string deviceEntryId(const std::string &Target);

/// Returns the header. Its length does not depend on offsets and sizes, so it
/// can be measured before they are known. The first entry is the host's:
/// runtimes skip it, tools expect it.
std::string bundleHeader(const std::vector<BundleEntry> &Entries);

} // namespace kpack

#endif // KPACK_SUPPORT_BUNDLEHEADER_H
