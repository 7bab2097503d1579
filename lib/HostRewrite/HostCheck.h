//===- HostRewrite/HostCheck.h - is a binary right? -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one rule for programs and libraries: `kpack verify` goes by it, and what
// convert, pack-tree and unpack have written has to pass it. An input that does
// not is refused by them, as nothing could tell its damage from theirs later.
// Code objects have the same: Offload/CheckCodeObject.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_HOSTREWRITE_HOSTCHECK_H
#define KPACK_HOSTREWRITE_HOSTCHECK_H

#include "HostRewrite/Verifier/Verifier.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack::hostrewrite {

/// The problems of \p Bytes, which messages call \p Name: faults that stop a
/// loader, section headers that contradict the program headers, and wrappers or
/// a marker that readers of section headers and loaders find at other places.
/// \p Host is what verifyHost() says of them.
std::vector<std::string> hostProblems(llvm::StringRef Bytes,
                                      llvm::StringRef Name, VerifiedHost Host);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_HOSTCHECK_H
