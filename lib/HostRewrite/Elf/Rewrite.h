//===- Rewrite.h - writer of a file without device code ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the new file from the old one, mapped, and the plan (Layout.h). Writes
// the parts that stay unchanged first, then patches headers, wrappers, their
// relocations and symbols in them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_REWRITE_H
#define KPACK_LIB_HOSTREWRITE_ELF_REWRITE_H

#include "AddressMove.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::hostrewrite {

/// Writes the file to \p OS; the caller checks its errors. \p Fields are those
/// of a compact layout (Compact.h).
llvm::Error rewriteElf(const ElfView &View, const PointerFacts &Pointers,
                       const ElfLayout &Layout,
                       llvm::ArrayRef<MovedField> Fields,
                       llvm::StringRef Marker, llvm::raw_pwrite_stream &OS);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_REWRITE_H
