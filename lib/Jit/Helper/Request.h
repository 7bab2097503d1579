//===- Request.h - answer to one request of a program -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A helper that was started for a request answers it in the same way as one
// that the server has forked; only the latter has a CommandServer.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_REQUEST_H
#define KPACK_LIB_JIT_HELPER_REQUEST_H

#include "CommandRunner.h"

#include "Jit/Helper/CompileHelper.h"
#include "Jit/Store/Message.h"

namespace kpack::jit {

/// Sets up signals and the process name.
void prepareHelper(const char *Name);

/// Writes the reply to standard output and returns the exit code. Work for
/// later kernels continues afterwards while \p Program, a pidfd, runs.
int answerRequest(const Message &Question, Demangler Demangle,
                  const UniqueFd &Program, const CommandServer *Server);

/// Prints that users should not run this program. Returns the exit code.
int noRequest();

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_REQUEST_H
