//===- CoffSections.h - sections of Windows files ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and contents of the sections of an object for Windows, with the headers
// of /bigobj too, or of a linked file of 32 or 64 bits. LLVM's COFFObjectFile
// is not used on foreign bytes: it follows the place of the PE header
// unchecked, and reads all tables when it is opened. What a loader makes of a
// linked file is in Offload/PeImage.h.
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
  /// The whole one where the file has it.
  llvm::StringRef Name;
  /// Nothing: its header leads out of the file.
  std::optional<llvm::StringRef> Contents;
};

/// An error says what is wrong, and not with which file.
llvm::Expected<std::vector<CoffSection>>
readCoffSections(llvm::StringRef Bytes);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_COFFSECTIONS_H
