//===- Offload/CutOff.h - files that are not whole --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A download that broke off or a disk that was full leaves the start of a file.
// Which table is missed first depends on who reads it, so where reading has
// failed this is asked before anything else is said.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_CUTOFF_H
#define KPACK_OFFLOAD_CUTOFF_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kpack::offload {

/// An error that says so where \p Bytes, the start of a 64-bit little-endian
/// ELF file, are fewer than its headers say; success for all else. \p Name is
/// how the message calls the file.
llvm::Error checkNotCutOff(llvm::StringRef Bytes, llvm::StringRef Name);

/// That \p Bytes are too few where they are, otherwise the \p Failure to read
/// them.
llvm::Error orCutOff(llvm::Error Failure, llvm::StringRef Bytes,
                     llvm::StringRef Name);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_CUTOFF_H
