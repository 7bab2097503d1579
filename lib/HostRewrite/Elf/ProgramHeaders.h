//===- ProgramHeaders.h - do they fit each other? ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some files load although their program headers contradict each other: what
// they do then depends on bytes that a conversion changes. Sibling for what has
// been written: Verifier/Segments.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_PROGRAMHEADERS_H
#define KPACK_LIB_HOSTREWRITE_ELF_PROGRAMHEADERS_H

#include "ElfView.h"

namespace kpack::hostrewrite {

/// An error that says what is odd about the program headers of \p View, which
/// is to be converted.
llvm::Error checkProgramHeaders(const ElfView &View);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_PROGRAMHEADERS_H
