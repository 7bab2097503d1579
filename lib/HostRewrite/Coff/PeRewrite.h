//===- PeRewrite.h - write a Windows file by a plan -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The old file, mapped, and the plan (PeLayout.h) become the new one, in one
// pass from its start to its end, so that its checksum is known then.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_COFF_PEREWRITE_H
#define KPACK_LIB_HOSTREWRITE_COFF_PEREWRITE_H

#include "PeLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace kpack::hostrewrite {

/// New bytes, by the place in the old file that they go over.
using PePatches = std::map<uint64_t, std::string>;

/// Writes the file to \p OS, whose errors the caller looks at. \p WriteInserted
/// writes what the plan has room for.
llvm::Error
rewritePe(const offload::PeImage &Image, const PeLayout &Plan,
          PePatches Patches,
          llvm::function_ref<llvm::Error(llvm::raw_ostream &)> WriteInserted,
          llvm::raw_pwrite_stream &OS);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COFF_PEREWRITE_H
