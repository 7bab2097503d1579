//===- RemoteHelper.h - the program kpack-jit-remote ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of kpack-jit-remote except its main(). See Remote.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_REMOTE_REMOTEHELPER_H
#define KPACK_JIT_REMOTE_REMOTEHELPER_H

namespace kpack::jit {

/// Reads a call from standard input to its end and answers it on standard
/// output; a detached call continues in a separate session. Ends in time,
/// whatever the server does. Returns the exit code.
int remoteHelperMain();

} // namespace kpack::jit

#endif // KPACK_JIT_REMOTE_REMOTEHELPER_H
