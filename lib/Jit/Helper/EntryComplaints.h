//===- EntryComplaints.h - compile errors of named functions ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_HELPER_ENTRYCOMPLAINTS_H
#define KPACK_JIT_HELPER_ENTRYCOMPLAINTS_H

#include <string>
#include <vector>

namespace kpack::jit {

/// Returns \p Text, the output of a compiler, with each failed check of an
/// entry's type in the words that clang 20 and later print by themselves:
/// "entry 'f' has type A, the caller declared B". A static_assert of older
/// versions takes a literal only; SourceUnit.cpp gives them a variable template
/// whose arguments, which they print, are A and B.
std::string spellEntryTypes(std::string Text);

/// Returns \p Text, the output of a compiler, with one error for each name of
/// \p Entries that the source does not have, and not one for each place of
/// SourceUnit.cpp's checks: "no function 'f' in the text: ...". Messages about
/// the types of these entries follow from that, and are left out.
std::string nameMissingEntries(const std::string &Text,
                               const std::vector<std::string> &Entries);

} // namespace kpack::jit

#endif // KPACK_JIT_HELPER_ENTRYCOMPLAINTS_H
