//===- Offload/FatBinary.h - containers of device code ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one reader of what device code is wrapped in: clang-offload-bundler's
// bundles, plain ("__CLANG_OFFLOAD_BUNDLE__") and compressed ("CCOB", versions
// 1 to 3), LLVM's OffloadBinary, and ELF code objects that nothing is around.
// A section holds any number of them, one after the other, with padding.
//
//   readContainers(Section)   where each begins and ends: headers alone are
//   read openContainer(Container)  its targets and their bytes: decompresses
//
// The extent of a container comes from its own numbers, never from a search for
// the next magic (reference defect D11), so the time is linear. What is not
// compressed is not copied: of a large file that is mapped, only what is looked
// at is read. Hostile input: every offset is checked, decompression is bounded
// by what the header declares and by a limit, and no bytes belong to two
// entries. Where containers are found: DeviceCode.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_FATBINARY_H
#define KPACK_OFFLOAD_FATBINARY_H

#include "Offload/DevicePayload.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>

namespace kpack::offload {

enum class ContainerKind {
  Bundle,
  CompressedBundle,
  OffloadBinary,
  CodeObject
};

/// "bundle", "compressed bundle", "offload binary", "code object".
llvm::StringRef containerKindName(ContainerKind Kind);

/// A container as its header describes it. Points into what was read.
struct Container {
  ContainerKind Kind = ContainerKind::Bundle;
  /// Of its format; 0 where that has none.
  unsigned Version = 0;
  /// From the start of what was read.
  uint64_t Offset = 0;
  /// Its own, without padding after it.
  llvm::StringRef Bytes;
  /// Bytes when decompressed; the number of Bytes where nothing is compressed.
  uint64_t PlainSize = 0;
};

/// The device entries of one container; host entries are left out. Targets are
/// canonical. Images point into the input, or into Storage when it was
/// compressed.
struct OpenContainer {
  std::vector<DeviceImage> Images;
  std::unique_ptr<llvm::MemoryBuffer> Storage;
};

/// The target id in an entry's name: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
/// -> "gfx90a:xnack+". Nothing for entries that are not HIP device code.
std::optional<llvm::StringRef> deviceTargetOfEntry(llvm::StringRef Id);

/// Whether \p Bytes begin as a container does.
bool startsContainer(llvm::StringRef Bytes);

/// The container at the start of \p Bytes (which may go on after it; a zlib
/// bundle of version 1, which does not say its length, takes all of them).
/// \p Object names the file in messages. Errors: no container, or one that is
/// cut off or contradicts itself.
llvm::Expected<Container> readContainer(llvm::StringRef Bytes,
                                        llvm::StringRef Object);

/// All containers of \p Section; zero bytes between them and at its end are
/// padding, anything else is an error.
llvm::Expected<std::vector<Container>> readContainers(llvm::StringRef Section,
                                                      llvm::StringRef Object);

/// What \p C holds. Decompresses where it is compressed, and compares the
/// bundle with its hash where it has one. May be called from several threads.
llvm::Expected<OpenContainer> openContainer(const Container &C,
                                            llvm::StringRef Object);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_FATBINARY_H
