//===- Bundles.h - device code as HIP runtimes read it ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of a .hip_fatbin section out of code objects of archives: plain
// offload bundles, each on a page of its own, and in it each code object.
// Wrappers with the same code objects share a bundle, as those of -fgpu-rdc do.
// Nothing is read before it is written. Sibling: DeviceCode.h, which reads.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_BUNDLES_H
#define KPACK_LIB_HOSTREWRITE_BUNDLES_H

#include "HostRewrite/Unpack.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace kpack::hostrewrite {

class Bundles {
public:
  static constexpr uint64_t Alignment = 4096;

  /// \p Triple is the host's, which each bundle names.
  explicit Bundles(llvm::StringRef Triple = "x86_64-unknown-linux-gnu")
      : HostEntry(("host-" + Triple + "-").str()) {}

  /// Where the bundle of \p Objects begins, in bytes from the start. Errors:
  /// code objects whose sizes cannot be.
  llvm::Expected<uint64_t> add(std::vector<PackedObject> Objects);

  /// In bytes.
  uint64_t size() const { return Size; }

  /// Errors: archives that cannot be read.
  llvm::Error write(llvm::raw_ostream &OS) const;

  /// That \p Section is what write() is to write, as a
  /// reader of bundles sees it. \p Name is how messages call the file.
  llvm::Error verify(llvm::StringRef Section, llvm::StringRef Name) const;

private:
  struct Bundle {
    uint64_t Offset;
    std::vector<PackedObject> Objects;
    std::vector<uint64_t> Places; // of the objects, from the bundle's start
    std::string Header;
  };
  using Key = std::vector<
      std::tuple<std::string_view, const ArchiveReader *, uint64_t, uint64_t>>;

  std::string HostEntry;
  std::vector<Bundle> All;
  std::map<Key, uint64_t> Offsets;
  uint64_t Size = 0;
};

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_BUNDLES_H
