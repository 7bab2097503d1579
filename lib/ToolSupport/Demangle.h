//===- ToolSupport/Demangle.h - demangling with a limit ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mangled name refers to earlier parts, so each few letters can double the
// text: a name of 300 bytes may stand for more text than there is memory. Names
// of kernels may come from hostile files, so the length of the text is computed
// first.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_DEMANGLE_H
#define KPACK_TOOLSUPPORT_DEMANGLE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kpack {

/// Returns \p Name as in the source. Returns it unchanged if it is no mangled
/// name of the Itanium ABI, if it is longer than 8 KiB, or if the text would be
/// longer than about 1 MiB. Thread-safe.
std::string demangleName(llvm::StringRef Name);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_DEMANGLE_H
