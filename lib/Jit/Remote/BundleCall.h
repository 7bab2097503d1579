//===- BundleCall.h - bundle requests of libraries --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second task of kpack-jit-remote: exports a cache's entries to a bundle
// and imports them (BundleProtocol.h). Bundles come from other machines, like
// replies of servers, so they are parsed in this process and not in the
// program's.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_REMOTE_BUNDLECALL_H
#define KPACK_LIB_JIT_REMOTE_BUNDLECALL_H

#include "Jit/Store/Message.h"

namespace kpack::jit {

/// Returns the reply to \p Question.
Message answerBundle(const Message &Question);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_REMOTE_BUNDLECALL_H
