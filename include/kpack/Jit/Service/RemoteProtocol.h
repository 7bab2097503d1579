//===- RemoteProtocol.h - what is asked of a remote cache -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between Remote.cpp and kpack-jit-remote, which may be of different builds.
// The reply is one dot when the server begins to answer, then a message. A
// detached call has no reply: its failure is written to the pause file.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_REMOTEPROTOCOL_H
#define KPACK_JIT_SERVICE_REMOTEPROTOCOL_H

#include "kpack/Jit/Store/Message.h"

#include <cstdlib>

namespace kpack::jit {

struct RemoteCall {
  std::string What; ///< "get", "has", "put", "check"
  std::string Url;
  std::string Credentials; ///< "user:password", or a token; empty: of the URL
  std::string CaFile;
  std::string Key;        ///< 64 digits
  std::string Value;      ///< of put; of check: what to store, empty: only ask
  uint64_t TimeoutMs = 0; ///< to connect, and until the answer begins
  uint64_t TotalMs = 0;
  uint64_t MaxBytes = 0;
  bool OnlyLoopback = false; ///< no other machine, and no proxy, is asked
  // For a detached put.
  bool Detached = false;
  std::string LockFile;  ///< one upload at a time; empty: no matter
  std::string PauseFile; ///< see RemotePause.h
  uint64_t PauseMs = 0;
};

struct RemoteAnswer {
  enum class Outcome { Found, Missing, Stored, Failed };
  Outcome What = Outcome::Failed;
  std::string Detail; ///< of Failed
  std::string Value;  ///< of Found; empty after "has"
};

constexpr const char *RemoteProtocol = "kpack-jit-remote 1";
constexpr char RemoteAnswerBegins = '.';

inline Message encodeCall(RemoteCall C) {
  Message M;
  M.add("protocol", RemoteProtocol)
      .add("what", C.What)
      .add("url", C.Url)
      .add("credentials", C.Credentials)
      .add("ca-file", C.CaFile)
      .add("key", C.Key)
      .add("timeout", std::to_string(C.TimeoutMs))
      .add("total", std::to_string(C.TotalMs))
      .add("max-bytes", std::to_string(C.MaxBytes))
      .add("only-loopback", C.OnlyLoopback ? "1" : "")
      .add("detached", C.Detached ? "1" : "")
      .add("lock-file", C.LockFile)
      .add("pause-file", C.PauseFile)
      .add("pause", std::to_string(C.PauseMs))
      .add("value", std::move(C.Value));
  return M;
}

inline RemoteCall decodeCall(const Message &M) {
  auto Number = [&](std::string_view Name) -> uint64_t {
    return std::strtoull(std::string(M.get(Name)).c_str(), nullptr, 10);
  };
  RemoteCall C;
  C.What = M.get("what");
  C.Url = M.get("url");
  C.Credentials = M.get("credentials");
  C.CaFile = M.get("ca-file");
  C.Key = M.get("key");
  C.TimeoutMs = Number("timeout");
  C.TotalMs = Number("total");
  C.MaxBytes = Number("max-bytes");
  C.OnlyLoopback = !M.get("only-loopback").empty();
  C.Detached = !M.get("detached").empty();
  C.LockFile = M.get("lock-file");
  C.PauseFile = M.get("pause-file");
  C.PauseMs = Number("pause");
  C.Value = M.get("value");
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
  std::string_view What = M.get("outcome");
  A.What = What == "found"     ? Outcome::Found
           : What == "missing" ? Outcome::Missing
           : What == "stored"  ? Outcome::Stored
                               : Outcome::Failed;
  A.Detail = M.get("detail");
  A.Value = M.get("value");
  return A;
}

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_REMOTEPROTOCOL_H
