//===- HostRewrite/Verifier/Verifier.h - is it still a program? -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a linked ELF file as the kernel and the dynamic linker do: program
// headers, the dynamic table, relocations by their numbers. Section headers,
// which no loader looks at, are only compared with that. So a file that a
// rewriter got wrong is not called right because its section headers are.
// Windows files are read as their loader does, see Verifier/LoadedPe.h.
// It shares no code with the rewriter beside it, and knows the file formats
// alone: whether archives hold the code is asked by `kpack verify`.
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
  uint64_t Pointer; ///< what stands there after relocation, as linked
  uint64_t Reserved1;
};

/// What a loader makes of a file, and what is wrong with it.
struct VerifiedHost {
  /// In the order of their addresses.
  std::vector<HostWrapper> Wrappers;
  /// The marker's map, without what stands after it: a part of the bytes that
  /// were given. Empty when no wrapper leads to one.
  llvm::StringRef MarkerBytes;
  uint64_t MarkerAddress = 0;
  /// Complete messages, "<object>: <what>; <how to fix>".
  std::vector<std::string> Problems;
  /// So many of them, the first ones, are about what a loader reads; the others
  /// about section headers.
  size_t LoaderProblemCount = 0;

  bool ok() const { return Problems.empty(); }
};

/// Verifies the whole file \p Bytes, which messages call \p Name. Time and
/// memory are linear in its size whatever it says. May be called from any
/// number of threads.
VerifiedHost verifyHost(llvm::StringRef Bytes, llvm::StringRef Name);

/// What is different in the host part of \p After, which was made of \p Before
/// by taking the device code out, and may not be: every mapped byte, every
/// entry of the dynamic table and every relocation has to be as it was, but
/// for wrappers, device code, markers, and where headers and tables stand.
/// Messages as above; none when all is well.
std::vector<std::string> compareHost(llvm::StringRef Before,
                                     llvm::StringRef After,
                                     llvm::StringRef Name);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_VERIFIER_H
