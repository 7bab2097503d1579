//===- Offload/FatBinary.h - containers of device code ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads all containers of device code: clang-offload-bundler's bundles, plain
// ("__CLANG_OFFLOAD_BUNDLE__") and compressed ("CCOB", versions 1 to 3), LLVM's
// OffloadBinary, and bare ELF code objects. A section holds any number of them,
// one after the other, with padding.
//
//   readContainers(Section)     the extents of containers; reads headers only
//   openContainer(Container)    its targets and their bytes; decompresses
//
// The extent of a container comes from its header, never from a search for the
// next magic (reference defect D11), so the time is linear. Uncompressed data
// is not copied: only the used pages of a large mapped file are read. Hostile
// input: every offset is checked, decompression is bounded by the size in the
// header and by a limit, and no two entries overlap. DeviceCode.h finds the
// containers.
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

/// A container as its header describes it. Points into the input.
struct Container {
  ContainerKind Kind = ContainerKind::Bundle;
  /// Version of the format; 0 if it has none.
  unsigned Version = 0;
  /// Offset in the input, in bytes.
  uint64_t Offset = 0;
  /// The container without padding after it.
  llvm::StringRef Bytes;
  /// Size when decompressed; that of Bytes if not compressed.
  uint64_t PlainSize = 0;
};

/// The device entries of one container; host entries are left out. Targets are
/// canonical. Images point into the input, or into Storage when it was
/// compressed.
struct OpenContainer {
  std::vector<DeviceImage> Images;
  std::unique_ptr<llvm::MemoryBuffer> Storage;
};

/// Returns the target id in an entry's name:
/// "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+" -> "gfx90a:xnack+". Returns nullopt
/// for entries that are not HIP device code.
std::optional<llvm::StringRef> deviceTargetOfEntry(llvm::StringRef Id);

/// True if \p Bytes begin like a container.
bool startsContainer(llvm::StringRef Bytes);

/// Reads the container at the start of \p Bytes, which may continue after it; a
/// zlib bundle of version 1, which has no length, takes all of them. \p Object
/// names the file in messages. Fails if there is no container, or it is
/// truncated or inconsistent.
llvm::Expected<Container> readContainer(llvm::StringRef Bytes,
                                        llvm::StringRef Object);

/// Reads all containers of \p Section. Zero bytes between them and at its end
/// are padding; other bytes are an error.
llvm::Expected<std::vector<Container>> readContainers(llvm::StringRef Section,
                                                      llvm::StringRef Object);

/// Returns the images of \p C. Decompresses them if necessary, and checks the
/// bundle's hash if it has one. May be called from several threads.
llvm::Expected<OpenContainer> openContainer(const Container &C,
                                            llvm::StringRef Object);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_FATBINARY_H
