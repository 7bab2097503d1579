//===- ToolSupport/Demangle.h - names out of files --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mangled name says of a part that came before that it comes again, so that
// each few letters can double what is printed: a name of 300 bytes may stand
// for more text than there is memory. Names of kernels come out of files that
// anybody may have written, so how long the text would be is asked first.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_DEMANGLE_H
#define KPACK_TOOLSUPPORT_DEMANGLE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kpack {

/// \p Name as it was written in the source; \p Name itself where it is not
/// mangled as clang does it, is longer than 8 KiB or would become longer than
/// about 1 MiB. Thread-safe.
std::string demangleName(llvm::StringRef Name);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_DEMANGLE_H
