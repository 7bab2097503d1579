//===- UnwindTables.h - addresses in .eh_frame ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linkers merge unwind tables, and write those of their own code, so not all
// of their fields have relocations. Their format says where addresses are, in
// .eh_frame and in the table of .eh_frame_hdr that is searched in.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_UNWINDTABLES_H
#define KPACK_LIB_HOSTREWRITE_ELF_UNWINDTABLES_H

#include "AddressMove.h"

namespace kpack::hostrewrite {

/// Has \p Move know all fields of both. \p Relocated: addresses of fields that
/// relocations are for, sorted. Errors: a form that is not known; one of those
/// that is none of the fields.
llvm::Error moveUnwindTables(const ElfView &View,
                             llvm::ArrayRef<uint64_t> Relocated,
                             AddressMove &Move);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_UNWINDTABLES_H
