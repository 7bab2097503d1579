//===- OffloadEntries.h - new-driver -fgpu-rdc objects ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A new-driver -fgpu-rdc object has no wrapper and no token, only a table of
// offload entries: clang-linker-wrapper links its device code and registers
// it. Linked without, its kernels would be missing and nobody would say so.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_OFFLOADENTRIES_H
#define KPACK_LIB_LINKER_OFFLOADENTRIES_H

#include "InputFiles.h"

namespace kpack::linker {

/// An error when an object that is linked for certain needs
/// clang-linker-wrapper, and that has not been run.
llvm::Error checkOffloadEntries(const InputFiles &Inputs);

/// The same after the link, for library members: \p Linked is lld's output.
llvm::Error checkOffloadEntries(const InputFiles &Inputs,
                                llvm::MemoryBufferRef Linked);

/// An error when kernels are launched in \p Linked, lld's output, that nothing
/// registers.
llvm::Error checkRegistration(const InputFiles &Inputs,
                              llvm::MemoryBufferRef Linked);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_OFFLOADENTRIES_H
