//===- HeaderExport.h - compiled functions as C headers ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output of "ck-jit cache export --header": compiled functions for a
// program that has neither compiler nor cache, as an array that the library
// loads (kpack_jit_program_deserialize), and for C++ with an accessor for each.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_HEADEREXPORT_H
#define KPACK_LIB_JITTOOL_HEADEREXPORT_H

#include "Jit/Store/Entry.h"

#include "llvm/ADT/StringRef.h"

namespace kpack::jittool {

/// Returns a header for the file \p Path, whose name gives the names of its
/// definitions, with the entry whose file is \p Bytes.
std::string makeHeader(llvm::StringRef Path, const jit::EntryInfo &Info,
                       std::string_view Bytes);

} // namespace kpack::jittool

#endif // KPACK_LIB_JITTOOL_HEADEREXPORT_H
