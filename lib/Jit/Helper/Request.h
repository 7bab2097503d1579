//===- Request.h - what helper and server have in common --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request is answered the same way by a helper that was started for it and by
// one that the server has forked; only the latter has a CommandServer.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_REQUEST_H
#define KPACK_LIB_JIT_HELPER_REQUEST_H

#include "CommandRunner.h"

#include "Jit/Helper/CompileHelper.h"
#include "Jit/Store/Message.h"

namespace kpack::jit {

/// Signals, and the name that lists of processes show.
void prepareHelper(const char *Name);

/// Writes the reply to standard output. What is worth doing for the next kernel
/// goes on afterwards while \p Program, a pidfd, runs. The exit code.
int answerRequest(const Message &Question, Demangler Demangle,
                  const UniqueFd &Program, const CommandServer *Server);

/// Says that we are not to be run by people. The exit code.
int noRequest();

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_REQUEST_H
