//===- Jit/Service/HelperQuestion.h - ask a helper once ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One question to one of our helper programs, which is started for it, and its
// reply, in which "code", "detail" and "message" are a Status.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_HELPERQUESTION_H
#define KPACK_JIT_SERVICE_HELPERQUESTION_H

#include "Jit/Store/Message.h"
#include "kpack/Support/Status.h"

namespace kpack::jit {

/// Errors: the reply's own; FileNotFound, no helper; IoError, it has ended
/// without a word.
Result<Message> askHelper(const std::string &Helper, const Message &Question);

/// \p Reply with what \p Outcome is.
inline void addStatus(Message &Reply, const Status &Outcome) {
  Reply.add("code", std::to_string(int(Outcome.code())))
      .add("detail", std::to_string(int(Outcome.detail())))
      .add("message", Outcome.message());
}

/// What addStatus() has added.
Status statusOf(const Message &Reply);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_HELPERQUESTION_H
