//===- Verifier/Verifier.h - checks of an ELF program -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a linked ELF file as the kernel and the dynamic linker do: program
// headers, the dynamic table, relocations by their numbers. Loaders ignore
// section headers, so these are only compared with the result; correct ones
// cannot hide an error of a rewriter. LoadedPe.h does the same for Windows
// files. Shares no code with the rewriter beside it, and knows file formats
// only: `kpack verify` checks that the archives hold the code.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_HOSTREWRITE_VERIFIER_H
#define KPACK_HOSTREWRITE_VERIFIER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kpack::hostrewrite {

/// A __CudaFatBinaryWrapper in the memory of the loaded file.
struct HostWrapper {
  uint64_t Address;    ///< virtual, as linked
  uint64_t FileOffset; ///< of the struct, in bytes
  uint32_t Magic;
  uint32_t Version;
  uint64_t Pointer; ///< the value after relocation, as linked
  uint64_t Reserved1;
};

/// The loader's view of a file, and its problems.
struct VerifiedHost {
  /// Ordered by address.
  std::vector<HostWrapper> Wrappers;
  /// The marker's map, without the bytes after it; a part of the given bytes.
  /// Empty if no wrapper leads to one.
  llvm::StringRef MarkerBytes;
  uint64_t MarkerAddress = 0;
  /// Complete messages, "<object>: <what>; <how to fix>".
  std::vector<std::string> Problems;
  /// The number of problems, the first ones, of the loader's view; the others
  /// are about section headers.
  size_t LoaderProblemCount = 0;

  bool ok() const { return Problems.empty(); }
};

/// Verifies the whole file \p Bytes, which messages call \p Name. Time and
/// memory are linear in its size for any contents. Thread-safe.
VerifiedHost verifyHost(llvm::StringRef Bytes, llvm::StringRef Name);

/// Returns unexpected differences between the host parts of \p Before and of
/// \p After, from which the device code was removed. Every mapped byte, every
/// entry of the dynamic table and every relocation has to be equal, except for
/// wrappers, device code, markers, and the places of headers and tables. The
/// format is that of Problems.
std::vector<std::string> compareHost(llvm::StringRef Before,
                                     llvm::StringRef After,
                                     llvm::StringRef Name);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_VERIFIER_H
