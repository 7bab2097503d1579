//===- UnwindTables.h - addresses in .eh_frame ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linkers merge unwind tables and write those of generated code, so not all of
// their fields have relocations. This reader finds the addresses through the
// formats of .eh_frame and of the search table in .eh_frame_hdr.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_UNWINDTABLES_H
#define KPACK_LIB_HOSTREWRITE_ELF_UNWINDTABLES_H

#include "AddressMove.h"

namespace kpack::hostrewrite {

/// Reports all fields of both sections to \p Move. \p Relocated has the sorted
/// addresses of fields with relocations. Fails on an unknown encoding, or if
/// one of those addresses is none of the fields.
llvm::Error moveUnwindTables(const ElfView &View,
                             llvm::ArrayRef<uint64_t> Relocated,
                             AddressMove &Move);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_UNWINDTABLES_H
