//===- Jit/Service/Remote.h - client of a shared remote cache ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last layer of the cache: a Redis or HTTP server that several machines
// share. A separate program, kpack-jit-remote, does the network traffic: it
// keeps TLS and a resolver out of processes that call kernels, and it is killed
// if it hangs. After a failure this process, and through a file the others, do
// not contact the server for a while.
//
// The server sends code that will run. It is checked like a local entry, and if
// a key is set, it must have a signature made with that key.
//
// Format: docs/format/jit-cache.md, "Remote". Cache.cpp is the user.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_REMOTE_H
#define KPACK_JIT_SERVICE_REMOTE_H

#include "Jit/Store/Entry.h"

#include <memory>
#include <optional>

namespace kpack::jit {

enum class RemoteMode {
  Read,
  ReadWrite, ///< uploads run in the background
  Sync,      ///< waits for uploads: for machines that end with the program
};

struct RemoteOptions {
  std::string Helper; ///< path of kpack-jit-remote
  /// http, https, http+unix, redis, redis+unix or unix.
  std::string Url;
  RemoteMode Mode = RemoteMode::ReadWrite;
  /// Seconds until the answer must begin.
  double Timeout = 2;
  /// Seconds for the whole answer; a background upload has twice as long. 0:
  /// five times Timeout.
  double Total = 0;
  /// Seconds without requests after a failure.
  double Pause = 60;
  std::string KeyFile;  ///< shared secret of signatures; empty: unsigned
  std::string AuthFile; ///< "user:password", or a token or password alone
  std::string CaFile;   ///< CA certificates for https; empty: the system's
  /// Also accepts, without a key, a server on another machine in plain text
  /// (http, redis): any machine on the way may then send code that runs.
  bool Insecure = false;
  /// Directory through which processes share the state of a failed server: the
  /// user's cache directory. Empty: they do not share it.
  std::string Directory;
  uint64_t MaxBytes = uint64_t(256) << 20; ///< of an entry
};

/// The required properties of an entry.
struct RemoteWanted {
  Digest Id{};
  std::string Kind;
  std::string Target;
  std::string Symbol;
};

struct RemoteEntry {
  EntryInfo Info;
  std::string Payload;
};

/// Thread-safe.
class RemoteTier {
public:
  /// Errors: InvalidArgument for a bad URL or secret file, or a server that
  /// must not be trusted (see Insecure); FileNotFound for a missing helper.
  static Result<std::shared_ptr<RemoteTier>> open(RemoteOptions Options);
  virtual ~RemoteTier() = default;
  RemoteTier(const RemoteTier &) = delete;
  RemoteTier &operator=(const RemoteTier &) = delete;

  /// Returns the entry if the server sends it in time and it passes all checks.
  /// \p Problem receives a message for the user, once for each failure.
  virtual std::optional<RemoteEntry> fetch(const RemoteWanted &Wanted,
                                           std::string &Problem) = 0;

  /// Uploads the entry unless the mode forbids it or the server is paused.
  virtual void store(const EntryInfo &Info, std::string_view Payload,
                     std::string &Problem) = 0;

  /// Returns true if the server has a value for this key; ignores a pause.
  /// Errors: IoError with the reason.
  virtual Result<bool> has(const Digest &Id) = 0;

  /// Uploads an entry, given as the bytes of its file, and waits; ignores a
  /// pause. Errors: InvalidArgument in mode Read or if it is too large; IoError
  /// with the reason.
  virtual Status upload(const Digest &Id, std::string Entry) = 0;

  /// Contacts the server; ignores a pause. Stores and reads back a test value
  /// if writing is allowed, else sends one question. Errors: IoError with the
  /// reason.
  virtual Status check() = 0;

  /// Returns the URL without user and password.
  virtual const std::string &name() const = 0;
  virtual RemoteMode mode() const = 0;
  /// True if the server is only allowed because of Insecure.
  virtual bool isInsecure() const = 0;

  /// Returns true if entries of this kind may leave the machine.
  static bool takes(const std::string &Kind);

protected:
  RemoteTier() = default;
};

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_REMOTE_H
