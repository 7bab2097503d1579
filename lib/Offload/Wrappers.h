//===- Wrappers.h - fat-binary wrappers of a linked file --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The __CudaFatBinaryWrapper structs of a linked ELF or PE file, in file order,
// which is the order of their indices, with their offsets, fields, and targets
// after relocation (static value, R_X86_64_RELATIVE or RELR). The linker reads
// tokens with this and `kpack ref` prints them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_WRAPPERS_H
#define KPACK_OFFLOAD_WRAPPERS_H

#include "Offload/DevicePayload.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace kpack::offload {

struct Wrapper {
  uint64_t FileOffset; // of the struct
  uint64_t Address;    // virtual
  uint32_t Magic;
  uint32_t Version;
  uint64_t Pointer;   // virtual address, relocation applied; 0: none found
  uint64_t Reserved1; // token before the link step has run, index after
};

struct LinkedBinary {
  std::vector<Wrapper> Wrappers;
  /// The marker section; empty if there is none.
  llvm::StringRef MarkerBytes;
  uint64_t MarkerAddress = 0;
  uint64_t FatBinSize = 0; // of .hip_fatbin, 0 when there is none
};

/// \p Name names the file in messages. Fails on files other than 64-bit
/// little-endian ELF executables and shared objects and PE32+ files, on files
/// with program headers but no section headers, and on a wrapper section with
/// other content.
llvm::Expected<LinkedBinary> readLinkedBinary(llvm::MemoryBufferRef File,
                                              llvm::StringRef Name);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_WRAPPERS_H
