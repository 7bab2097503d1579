//===- kpack/Offload/OffloadBundle.h - clang offload bundles ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what clang-offload-bundler writes: plain bundles
// ("__CLANG_OFFLOAD_BUNDLE__") and compressed ones ("CCOB", versions 1 to 3).
// The extent of a bundle comes from its own entry table and header, never from
// a search for the next magic (reference defect D11). Hostile input: every
// offset is checked, decompression is bounded by what the header declares and
// by a limit.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_OFFLOADBUNDLE_H
#define KPACK_OFFLOAD_OFFLOADBUNDLE_H

#include "kpack/Offload/DevicePayload.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>

namespace kpack::offload {

/// The device entries of one bundle; host entries are left out. Images point
/// into the input, or into Storage when it was compressed.
struct OffloadBundle {
  std::vector<DeviceImage> Images;
  /// Bytes of the input the bundle takes (without padding after it).
  uint64_t Size = 0;
  std::unique_ptr<llvm::MemoryBuffer> Storage;
};

/// The target id in an entry's name: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
/// -> "gfx90a:xnack+". Nothing for entries that are not HIP device code.
std::optional<llvm::StringRef> deviceTargetOfEntry(llvm::StringRef Id);

/// Parses the bundle at the start of \p Bytes (which may go on after it).
llvm::Expected<OffloadBundle> parseOffloadBundle(llvm::StringRef Bytes,
                                                 llvm::StringRef Object);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_OFFLOADBUNDLE_H
