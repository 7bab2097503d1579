//===- HelperQuestion.h - one request to a helper program -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts one of our helper programs for one question. In its reply "code",
// "detail" and "message" are a Status.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_HELPERQUESTION_H
#define KPACK_JIT_SERVICE_HELPERQUESTION_H

#include "Jit/Store/Message.h"
#include "kpack/Support/Status.h"

namespace kpack::jit {

/// Errors: the reply's; FileNotFound if the helper is missing; IoError if it
/// ended without a reply.
Result<Message> askHelper(const std::string &Helper, const Message &Question);

/// Adds \p Outcome to \p Reply.
inline void addStatus(Message &Reply, const Status &Outcome) {
  Reply.add("code", std::to_string(int(Outcome.code())))
      .add("detail", std::to_string(int(Outcome.detail())))
      .add("message", Outcome.message());
}

/// Returns the status that addStatus() added.
Status toStatus(const Message &Reply);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_HELPERQUESTION_H
