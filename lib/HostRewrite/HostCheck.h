//===- HostCheck.h - validity of programs and libraries ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule for valid programs and libraries. `kpack verify` applies it, and the
// outputs of convert, pack-tree and unpack have to pass it. These commands
// refuse an input that does not pass, since its damage could not be told from
// their own errors later. For code objects see Offload/CheckCodeObject.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_HOSTREWRITE_HOSTCHECK_H
#define KPACK_HOSTREWRITE_HOSTCHECK_H

#include "HostRewrite/Verifier/Verifier.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack::hostrewrite {

/// Returns the problems of \p Bytes, which messages call \p Name: faults that
/// stop a loader, section headers that contradict the program headers, and
/// wrappers or a marker that loaders and readers of section headers find at
/// different places. \p Host is the result of verifyHost() for them.
std::vector<std::string> hostProblems(llvm::StringRef Bytes,
                                      llvm::StringRef Name, VerifiedHost Host);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_HOSTCHECK_H
