//===- RemoteSignature.h - who has made this value --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HMAC-SHA256 with a shared secret after an entry that is kept by a server.
// Format: docs/format/jit-cache.md, "Remote".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVICE_REMOTESIGNATURE_H
#define KPACK_LIB_JIT_SERVICE_REMOTESIGNATURE_H

#include "kpack/Support/Status.h"

#include <string_view>

namespace kpack::jit {

/// The secret or credentials in \p Path, without the end of the last line.
/// Errors: InvalidArgument for a file that others may read or write, or with
/// less than \p MinBytes; IoError, FileNotFound.
Result<std::string> readSecret(const std::string &Path, size_t MinBytes);

/// What stands after \p Entry. Empty if the library refuses.
std::string signatureOf(std::string_view Entry, std::string_view Secret);

/// The entry in \p Value. With a secret the signature must be there and right,
/// without one it is cut off unseen. Errors: InvalidFormat.
Result<std::string_view> takeSigned(std::string_view Value,
                                    std::string_view Secret);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVICE_REMOTESIGNATURE_H
