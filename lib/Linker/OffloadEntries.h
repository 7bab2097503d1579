//===- OffloadEntries.h - check for new-driver rdc objects ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A new-driver -fgpu-rdc object has no wrapper and no token, only a table of
// offload entries: clang-linker-wrapper links its device code and registers it.
// A link without that tool would silently lack the object's kernels.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_OFFLOADENTRIES_H
#define KPACK_LIB_LINKER_OFFLOADENTRIES_H

#include "InputFiles.h"

namespace kpack::linker {

/// Fails if an object that is certainly linked needs clang-linker-wrapper, and
/// that has not run.
llvm::Error checkOffloadEntries(const InputFiles &Inputs);

/// Checks library members after the link; \p Linked is lld's output.
llvm::Error checkOffloadEntries(const InputFiles &Inputs,
                                llvm::MemoryBufferRef Linked);

/// Fails if \p Linked, lld's output, launches kernels that no object registers.
llvm::Error checkRegistration(const InputFiles &Inputs,
                              llvm::MemoryBufferRef Linked);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_OFFLOADENTRIES_H
