//===- PeRewrite.h - writer of a converted Windows file ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the new file from the old one, mapped, and the plan (PeLayout.h), in
// one pass from start to end, after which its checksum is known.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_COFF_PEREWRITE_H
#define KPACK_LIB_HOSTREWRITE_COFF_PEREWRITE_H

#include "PeLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace kpack::hostrewrite {

/// Patches by their offset in the old file.
using PePatches = std::map<uint64_t, std::string>;

/// Writes the file to \p OS; the caller checks its errors. \p WriteInserted
/// writes the inserted bytes of the plan.
llvm::Error
rewritePe(const offload::PeImage &Image, const PeLayout &Plan,
          PePatches Patches,
          llvm::function_ref<llvm::Error(llvm::raw_ostream &)> WriteInserted,
          llvm::raw_pwrite_stream &OS);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COFF_PEREWRITE_H
