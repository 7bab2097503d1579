//===- Offload/LinkerInput.h - device code of a linker input ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads from one relocatable file (ELF or bitcode, not an archive) all data for
// the kpack link step: its device code in any form (.kpack.devobj, a payload
// after bitcode or embedded in its IR, a fat .hip_fatbin, RDC bundle sections),
// and a rewritten object if the original must not reach the linker. Sibling:
// HostObject.h makes such files.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_LINKERINPUT_H
#define KPACK_OFFLOAD_LINKERINPUT_H

#include "Offload/DevicePayload.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace kpack::offload {

struct LinkerInput {
  /// Device code; images point into the object or into Storage.
  std::vector<DevicePayload> Payloads;
  /// Hashes of the undefined symbols __hip_fatbin_<h>.
  std::vector<uint64_t> FatBinRefs;
  /// Names of the undefined symbols __hip_gpubin_handle_<h>.
  std::vector<std::string> HandleRefs;
  /// Refers to __hip_fatbin without a hash (-fuse-cuid=none): indistinguishable
  /// from other TUs, so the link step refuses it.
  bool HasAnonymousFatBin = false;
  /// The object for the linker if the original was fat. Its wrappers have magic
  /// HIPK and a token, and point to __rocm_kpack_ref (or to __hip_fatbin_<h>);
  /// .hip_fatbin is empty.
  std::unique_ptr<llvm::MemoryBuffer> Rewritten;
  /// New-driver RDC object (.llvm.offloading + llvm_offload_entries): its
  /// device link is clang-linker-wrapper's.
  bool NeedsLinkerWrapper = false;
  /// Has kernel stubs but registers no kernel: another object of the link must
  /// (Offload/Registration.h).
  bool NeedsRegistration = false;

  std::vector<std::unique_ptr<llvm::MemoryBuffer>> Storage;

  bool hasDeviceCode() const { return !Payloads.empty(); }
};

/// \p Name is the object's name in messages, "libx.a(k.o)". Files that are
/// neither ELF relocatable nor bitcode give an empty LinkerInput.
llvm::Expected<LinkerInput> readLinkerInput(llvm::MemoryBufferRef Object,
                                            llvm::StringRef Name);

/// Gives \p Payload, one of \p Input's, and its wrappers the token \p Token, so
/// that two TUs with the same cuid differ after the link. The symbols keep
/// their names. Returns false if that is impossible, in bitcode of several
/// modules. \p Input must have been read from \p Object with \p Name.
llvm::Expected<bool> changeToken(LinkerInput &Input, DevicePayload &Payload,
                                 uint64_t Token, llvm::MemoryBufferRef Object,
                                 llvm::StringRef Name);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_LINKERINPUT_H
