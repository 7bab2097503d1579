//===- EntryTable.h - the functions that a source names ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A source that is asked for "ns::saxpy<4, float>" ends with a table of
// addresses, which the compiler fills: it resolves overloads, instantiates
// templates and knows the mangled names, whatever its version. In the linked
// file the table's relocations lead to the functions, and their symbols are
// what a runtime looks up. SourceUnit.cpp writes the table into the source.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_ENTRYTABLE_H
#define KPACK_LIB_JIT_HELPER_ENTRYTABLE_H

#include "Jit/Store/Entry.h"

namespace kpack::jit {

/// What the table of the linked file \p Bytes leads to, one for each of
/// \p Names. A function has no symbol where the link has dropped it. Errors:
/// InvalidFormat, with what is wrong with the file or its table.
Result<std::vector<EntryFunction>>
readEntryTable(std::string_view Bytes, const std::vector<std::string> &Names);

/// The same of PTX, out of which the table is taken: a driver would have to
/// link what nobody reads.
Result<std::vector<EntryFunction>>
takeEntryTable(std::string &Ptx, const std::vector<std::string> &Names);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_ENTRYTABLE_H
