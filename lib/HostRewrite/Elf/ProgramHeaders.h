//===- ProgramHeaders.h - consistency of program headers --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some files load although their program headers contradict each other; their
// behaviour then depends on bytes that a conversion changes. Sibling for
// outputs: Verifier/Segments.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_PROGRAMHEADERS_H
#define KPACK_LIB_HOSTREWRITE_ELF_PROGRAMHEADERS_H

#include "ElfView.h"

namespace kpack::hostrewrite {

/// Fails if the program headers of \p View, a file to convert, contradict each
/// other.
llvm::Error checkProgramHeaders(const ElfView &View);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_PROGRAMHEADERS_H
