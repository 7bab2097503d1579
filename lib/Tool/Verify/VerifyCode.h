//===- VerifyCode.h - code objects against the originals --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares one file of a packed tree. Used by VerifyTree.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_VERIFY_VERIFYCODE_H
#define KPACK_TOOL_VERIFY_VERIFYCODE_H

#include "Tool/HostBinary.h"
#include "Tool/Verify/Verify.h"

namespace kpack::tool {

/// Compares the code objects of \p Packed, a host-only binary or a reference,
/// with those of the file \p Original. Adds problems to \p Report, and targets
/// that \p Packed lacks according to its marker to \p LeftOut.
void compareCode(const HostBinary &Packed, llvm::StringRef Original,
                 const VerifyScope &Scope, VerifyReport &Report,
                 std::set<std::string> &LeftOut);

} // namespace kpack::tool

#endif // KPACK_TOOL_VERIFY_VERIFYCODE_H
