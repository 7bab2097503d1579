//===- CoffSections.h - sections of Windows files ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and contents of the sections of a Windows object, also one with /bigobj
// headers, or of a linked file of 32 or 64 bits. LLVM's COFFObjectFile is
// unsuitable for hostile input: it follows the offset of the PE header
// unchecked, and reads all tables when it is opened. Offload/PeImage.h reads
// linked files as a loader does.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_OFFLOAD_COFFSECTIONS_H
#define KPACK_LIB_OFFLOAD_COFFSECTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <vector>

namespace kpack::offload {

struct CoffSection {
  /// The full name if the file has it.
  llvm::StringRef Name;
  /// nullopt if the header points outside of the file.
  std::optional<llvm::StringRef> Contents;
};

/// Errors do not name the file.
llvm::Expected<std::vector<CoffSection>>
readCoffSections(llvm::StringRef Bytes);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_COFFSECTIONS_H
