//===- ObjectWrappers.h - fat-binary wrappers in an object ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The __CudaFatBinaryWrapper structs of an unlinked ELF object. Only the
// relocation at its pointer determines the target of a wrapper: the order of
// structs and bundles means nothing (reference defect D4), and `ld -r` gives
// objects with several. Sibling: Offload/Wrappers.h, for linked files.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_OFFLOAD_OBJECTWRAPPERS_H
#define KPACK_LIB_OFFLOAD_OBJECTWRAPPERS_H

#include "RelocatableElf.h"

#include <optional>

namespace kpack::offload {

struct ObjectWrapper {
  uint32_t Section = 0; // .hipFatBinSegment's number
  uint64_t Offset = 0;  // in it
  uint32_t Magic = 0;
  uint64_t Reserved1 = 0;

  // Its relocation and the relocation's symbol.
  uint32_t RelocationSection = 0;
  uint64_t RelocationOffset = 0; // of the Elf64_Rela, in its section
  uint32_t Symbol = 0;
  uint64_t Addend = 0;

  /// The target's section number, 0 for an undefined symbol, and the offset in
  /// that section.
  uint32_t TargetSection = 0;
  uint64_t TargetOffset = 0;
  llvm::StringRef SymbolName;
  /// The hash if SymbolName is __hip_fatbin_<h>.
  std::optional<uint64_t> SymbolToken;
};

/// Returns all wrappers of \p Elf, in file order.
llvm::Expected<std::vector<ObjectWrapper>>
findWrappers(const RelocatableElf &Elf, llvm::StringRef Object);

/// Writes magic HIPK and \p Token into the wrapper.
void markWrapper(RelocatableElf &Elf, const ObjectWrapper &W, uint64_t Token);

/// Makes the wrapper's pointer refer to symbol number \p Symbol.
void repointWrapper(RelocatableElf &Elf, const ObjectWrapper &W,
                    uint32_t Symbol);

/// True for the names clang gives the fat binary with -fuse-cuid=none.
bool isAnonymousFatBin(llvm::StringRef Name);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_OBJECTWRAPPERS_H
