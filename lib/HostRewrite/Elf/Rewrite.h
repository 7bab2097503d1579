//===- Rewrite.h - write a file without its device code ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The old file, mapped, and the plan (Layout.h) become the new one. The
// pieces that stay are written as they are; what changes in them is written
// over them afterwards: headers, wrappers, their relocations, symbols.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_REWRITE_H
#define KPACK_LIB_HOSTREWRITE_ELF_REWRITE_H

#include "AddressMove.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::hostrewrite {

/// Writes the file to \p OS, whose errors the caller looks at. \p Fields are
/// those of a compact layout (Compact.h).
llvm::Error rewriteElf(const ElfView &View, const PointerFacts &Pointers,
                       const ElfLayout &Layout,
                       llvm::ArrayRef<MovedField> Fields,
                       llvm::StringRef Marker, llvm::raw_pwrite_stream &OS);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_REWRITE_H
