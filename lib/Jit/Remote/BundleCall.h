//===- BundleCall.h - bundles for libraries ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The other thing that kpack-jit-remote does for libraries: a cache's entries
// to a bundle and back (BundleProtocol.h). Bundles come from other machines, as
// what servers say does, and are taken apart in this process, not in the
// program's.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_REMOTE_BUNDLECALL_H
#define KPACK_LIB_JIT_REMOTE_BUNDLECALL_H

#include "Jit/Store/Message.h"

namespace kpack::jit {

/// The reply to \p Question.
Message answerBundle(const Message &Question);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_REMOTE_BUNDLECALL_H
