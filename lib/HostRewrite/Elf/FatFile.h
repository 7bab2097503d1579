//===- FatFile.h - what is to be converted ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linked file is read once: its tables, its wrappers, and whether there is
// anything to convert. Files that cannot be converted are refused here or by
// what comes next: WrapperSites.h and Layout.h.
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
  /// In the order of their indices.
  std::vector<offload::Wrapper> Wrappers;
};

/// Reads \p Bytes, which must outlive the result; \p Name is how messages call
/// them. Errors: no linked 64-bit ELF file, a damaged one, one whose wrappers
/// cannot be told, one that was converted in part.
llvm::Expected<FatFile> readFatFile(llvm::StringRef Bytes,
                                    llvm::StringRef Name);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_FATFILE_H
