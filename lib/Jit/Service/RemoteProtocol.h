//===- RemoteProtocol.h - messages to kpack-jit-remote ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages between Remote.cpp and kpack-jit-remote, which may be of different
// builds. The reply is one dot when the server's answer begins, then a message.
// A detached call has no reply: it writes its failure to the pause file.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_REMOTEPROTOCOL_H
#define KPACK_JIT_SERVICE_REMOTEPROTOCOL_H

#include "Jit/Store/Message.h"

#include <cstdlib>

namespace kpack::jit {

struct RemoteCall {
  std::string What; ///< "get", "has", "put", "check"
  std::string Url;
  std::string Credentials; ///< "user:password" or a token; empty: the URL's
  std::string CaFile;
  std::string Key;        ///< 64 digits
  std::string Value;      ///< of "put"; of "check" the value to store, or empty
  uint64_t TimeoutMs = 0; ///< to connect, and until the answer begins
  uint64_t TotalMs = 0;
  uint64_t MaxBytes = 0;
  bool OnlyLoopback = false; ///< connect to no other machine and use no proxy
  // For a detached "put".
  bool Detached = false;
  std::string LockFile;  ///< serializes uploads; empty: unlimited
  std::string PauseFile; ///< see RemotePause.h
  uint64_t PauseMs = 0;
};

struct RemoteAnswer {
  enum class Outcome { Found, Missing, Stored, Failed };
  Outcome What = Outcome::Failed;
  std::string Detail; ///< for Failed
  std::string Value;  ///< for Found; empty after "has"
};

constexpr const char *RemoteProtocol = "kpack-jit-remote 1";
constexpr char RemoteAnswerBegins = '.';

// Fields of a call by their names in a message.
inline constexpr std::pair<const char *, std::string RemoteCall::*>
    RemoteCallTexts[] = {{"what", &RemoteCall::What},
                         {"url", &RemoteCall::Url},
                         {"credentials", &RemoteCall::Credentials},
                         {"ca-file", &RemoteCall::CaFile},
                         {"key", &RemoteCall::Key},
                         {"lock-file", &RemoteCall::LockFile},
                         {"pause-file", &RemoteCall::PauseFile},
                         {"value", &RemoteCall::Value}};
inline constexpr std::pair<const char *, uint64_t RemoteCall::*>
    RemoteCallNumbers[] = {{"timeout", &RemoteCall::TimeoutMs},
                           {"total", &RemoteCall::TotalMs},
                           {"max-bytes", &RemoteCall::MaxBytes},
                           {"pause", &RemoteCall::PauseMs}};
inline constexpr std::pair<const char *, bool RemoteCall::*>
    RemoteCallSwitches[] = {{"only-loopback", &RemoteCall::OnlyLoopback},
                            {"detached", &RemoteCall::Detached}};

inline Message encodeCall(RemoteCall C) {
  Message M;
  M.add("protocol", RemoteProtocol);
  for (auto [Name, Text] : RemoteCallTexts)
    M.add(Name, std::move(C.*Text));
  for (auto [Name, Value] : RemoteCallNumbers)
    M.add(Name, std::to_string(C.*Value));
  for (auto [Name, Switch] : RemoteCallSwitches)
    M.add(Name, C.*Switch ? "1" : "");
  return M;
}

inline RemoteCall decodeCall(const Message &M) {
  RemoteCall C;
  for (auto [Name, Text] : RemoteCallTexts)
    C.*Text = M.get(Name);
  for (auto [Name, Value] : RemoteCallNumbers)
    C.*Value = std::strtoull(std::string(M.get(Name)).c_str(), nullptr, 10);
  for (auto [Name, Switch] : RemoteCallSwitches)
    C.*Switch = !M.get(Name).empty();
  return C;
}

inline Message encodeAnswer(RemoteAnswer A) {
  static constexpr const char *Names[] = {"found", "missing", "stored",
                                          "failed"};
  Message M;
  M.add("outcome", Names[static_cast<int>(A.What)])
      .add("detail", A.Detail)
      .add("value", std::move(A.Value));
  return M;
}

inline RemoteAnswer decodeAnswer(const Message &M) {
  using Outcome = RemoteAnswer::Outcome;
  RemoteAnswer A;
  std::string_view Result = M.get("outcome");
  A.What = Result == "found"     ? Outcome::Found
           : Result == "missing" ? Outcome::Missing
           : Result == "stored"  ? Outcome::Stored
                                 : Outcome::Failed;
  A.Detail = M.get("detail");
  A.Value = M.get("value");
  return A;
}

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_REMOTEPROTOCOL_H
