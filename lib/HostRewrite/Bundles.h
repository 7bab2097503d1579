//===- Bundles.h - .hip_fatbin contents from archives -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the contents of a .hip_fatbin section from code objects of archives:
// plain offload bundles. Each bundle begins on a page, and so does each code
// object in it. Wrappers with the same code objects share a bundle, as with
// -fgpu-rdc. write() reads the archives; add() needs their tables only.
// Sibling: WrapperBundle.h, the reader.
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

  /// \p Triple is the host's; each bundle names it.
  explicit Bundles(llvm::StringRef Triple = "x86_64-unknown-linux-gnu")
      : HostEntry(("host-" + Triple + "-").str()) {}

  /// Returns the offset of the bundle of \p Objects, in bytes from the start.
  /// Fails if the sizes of code objects are impossible.
  llvm::Expected<uint64_t> add(std::vector<PackedObject> Objects);

  /// Returns the size in bytes.
  uint64_t size() const { return Size; }

  /// Fails if an archive cannot be read.
  llvm::Error write(llvm::raw_ostream &OS) const;

  /// Checks that a reader of bundles finds in \p Section what write() writes.
  /// Messages call the file \p Name.
  llvm::Error verify(llvm::StringRef Section, llvm::StringRef Name) const;

private:
  struct Bundle {
    uint64_t Offset;
    std::vector<PackedObject> Objects;
    std::vector<uint64_t> Places; // the objects' offsets in the bundle
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
