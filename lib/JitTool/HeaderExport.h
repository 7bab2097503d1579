//===- HeaderExport.h - a program as a header of C and C++ ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What "ck-jit cache export --header" writes: compiled functions for a program
// that has neither compiler nor cache, as an array that the library takes back
// (kpack_jit_program_deserialize), and for C++ with a way to each of them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_HEADEREXPORT_H
#define KPACK_LIB_JITTOOL_HEADEREXPORT_H

#include "Jit/Store/Entry.h"

#include "llvm/ADT/StringRef.h"

namespace kpack::jittool {

/// A header that is to be written to \p Path, whose name is that of what it
/// defines, with the entry whose file is \p Bytes.
std::string headerOf(llvm::StringRef Path, const jit::EntryInfo &Info,
                     std::string_view Bytes);

} // namespace kpack::jittool

#endif // KPACK_LIB_JITTOOL_HEADEREXPORT_H
