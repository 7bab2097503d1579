//===- FatFile.h - tables and wrappers of a file to convert -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the tables and wrappers of a linked file, and finds whether there is
// anything to convert. Files that cannot be converted are refused here or by
// the next steps, WrapperSites.h and Layout.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_FATFILE_H
#define KPACK_LIB_HOSTREWRITE_ELF_FATFILE_H

#include "ElfView.h"
#include "HostRewrite/Convert.h"
#include "Offload/Wrappers.h"

namespace kpack::hostrewrite {

struct FatFile {
  ElfView View;
  InputKind Kind = InputKind::NoDeviceCode;
  /// Ordered by index.
  std::vector<offload::Wrapper> Wrappers;
};

/// Reads \p Bytes, which must outlive the result; messages call them \p Name.
/// Fails if they are no linked 64-bit ELF file, damaged, converted in part, or
/// if the wrappers are ambiguous.
llvm::Expected<FatFile> readFatFile(llvm::StringRef Bytes,
                                    llvm::StringRef Name);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_FATFILE_H
