//===- RemoteSignature.h - HMAC signatures of remote entries ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An HMAC-SHA256 with a shared secret follows an entry on a server. Format:
// docs/format/jit-cache.md, "Remote".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVICE_REMOTESIGNATURE_H
#define KPACK_LIB_JIT_SERVICE_REMOTESIGNATURE_H

#include "kpack/Support/Status.h"

#include <string_view>

namespace kpack::jit {

/// Reads the secret or credentials in \p Path, without the final newline.
/// Errors: InvalidArgument for a file that others may read or write, or with
/// fewer than \p MinBytes; IoError, FileNotFound.
Result<std::string> readSecret(const std::string &Path, size_t MinBytes);

/// Returns the bytes that follow \p Entry; empty if the library fails.
std::string getSignature(std::string_view Entry, std::string_view Secret);

/// Returns the entry in \p Value. With a secret, requires a valid signature;
/// without one, removes a signature unchecked. Errors: InvalidFormat.
Result<std::string_view> takeSigned(std::string_view Value,
                                    std::string_view Secret);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVICE_REMOTESIGNATURE_H
