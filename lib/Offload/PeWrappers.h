//===- PeWrappers.h - fat-binary wrappers of Windows files ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Offload/Wrappers.h for PE files.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_OFFLOAD_PEWRAPPERS_H
#define KPACK_LIB_OFFLOAD_PEWRAPPERS_H

#include "Offload/Wrappers.h"

namespace kpack::offload {

/// Implements readLinkedBinary() for \p Bytes that begin with "MZ".
llvm::Expected<LinkedBinary> readLinkedPe(llvm::StringRef Bytes,
                                          llvm::StringRef Name);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_PEWRAPPERS_H
