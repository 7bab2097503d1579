//===- EntryTable.h - address table of named functions ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source of a request for "ns::saxpy<4, float>" ends with a table of
// addresses. The compiler fills it: it resolves overloads, instantiates
// templates and mangles names, in any version. In the linked file the table's
// relocations lead to the functions, whose symbols a runtime then looks up.
// SourceUnit.cpp writes the table into the source.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_ENTRYTABLE_H
#define KPACK_LIB_JIT_HELPER_ENTRYTABLE_H

#include "Jit/Store/Entry.h"

namespace kpack::jit {

/// Returns the functions of the table in the linked file \p Bytes, one for each
/// of \p Names. Symbol is empty if the link has dropped it. Errors:
/// InvalidFormat with the defect of the file or its table.
Result<std::vector<EntryFunction>>
readEntryTable(std::string_view Bytes, const std::vector<std::string> &Names);

/// Does the same for PTX and removes the table: otherwise the driver would link
/// a table that no code reads.
Result<std::vector<EntryFunction>>
takeEntryTable(std::string &Ptx, const std::vector<std::string> &Names);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_ENTRYTABLE_H
