//===- Offload/CutOff.h - detection of truncated files ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interrupted download or a full disk leaves the start of a file. Each
// reader misses another table first, so after a failed read this check gives
// the common message.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_CUTOFF_H
#define KPACK_OFFLOAD_CUTOFF_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kpack::offload {

/// Fails if \p Bytes, the start of a 64-bit little-endian ELF file, are fewer
/// than its headers state; succeeds for all other files. \p Name is the file's
/// name in messages.
llvm::Error checkNotCutOff(llvm::StringRef Bytes, llvm::StringRef Name);

/// Returns the error of checkNotCutOff() if there is one, otherwise \p Failure,
/// the error of reading \p Bytes.
llvm::Error orCutOff(llvm::Error Failure, llvm::StringRef Bytes,
                     llvm::StringRef Name);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_CUTOFF_H
