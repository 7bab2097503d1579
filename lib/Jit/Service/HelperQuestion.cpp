//===- HelperQuestion.cpp - one request to a helper program ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the reply to its end and extracts the status.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/HelperQuestion.h"

#include "HelperProcess.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;

Status jit::toStatus(const Message &Reply) {
  auto Field = [&](const char *Name) {
    return std::atoi(std::string(Reply.get(Name)).c_str());
  };
  return Field("code") == 0
             ? Status::success()
             : Status(StatusCode(Field("code")),
                      std::string(Reply.get("message")), Errc(Field("detail")));
}

Result<Message> jit::askHelper(const std::string &Helper,
                               const Message &Question) {
  Result<HelperProcess> Process = HelperProcess::start(Helper, Question);
  if (!Process)
    return Process.status();
  std::optional<Message> Reply = Message::decode(Process->readToEnd());
  if (!Reply)
    return Status(StatusCode::IoError,
                  Helper + ": has ended without an answer; try again");
  Status Outcome = toStatus(*Reply);
  return Outcome.ok() ? Result<Message>(std::move(*Reply)) : Outcome;
}
