//===- Jit/Service/Remote.h - a cache that machines share -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last layer of the cache: a Redis or an HTTP server that several machines
// fill and ask. The network is spoken by a program of its own,
// kpack-jit-remote: a process that calls kernels gets neither TLS nor a
// resolver into it, and what hangs is ended. A server that fails is left alone
// for a while, by this process and, through a file, by the others.
//
// What comes back is code that will run: it is checked like a local entry, and
// where a key is set, it must bear a signature made with that key.
//
// What is stored: docs/format/jit-cache.md, "Remote". Who asks: Cache.cpp.
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
  ReadWrite, ///< uploads go on behind the program's back
  Sync,      ///< uploads are waited for: for machines that end with the program
};

struct RemoteOptions {
  std::string Helper; ///< path of kpack-jit-remote
  /// http, https, http+unix, redis, redis+unix or unix.
  std::string Url;
  RemoteMode Mode = RemoteMode::ReadWrite;
  /// Seconds until an answer must begin.
  double Timeout = 2;
  /// Seconds for all of it; an upload, for which nobody waits, has twice as
  /// long. 0: five times Timeout.
  double Total = 0;
  /// Seconds for which a server that has failed is left alone.
  double Pause = 60;
  std::string KeyFile;  ///< shared secret of signatures; empty: none wanted
  std::string AuthFile; ///< "user:password", or a token or password alone
  std::string CaFile;   ///< certificates that https trusts; empty: the system's
  /// Without a key, also a server of another machine in plain text (http,
  /// redis): who is on the way to it may send code that is run.
  bool Insecure = false;
  /// Where processes tell each other that the server has failed: the user's
  /// cache directory. Empty: they do not.
  std::string Directory;
  uint64_t MaxBytes = uint64_t(256) << 20; ///< of an entry
};

/// What an entry must be.
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
  /// Errors: InvalidArgument for a URL or a secret's file that is not right, or
  /// a server that must not be trusted (see Insecure); FileNotFound for a
  /// helper that is not there.
  static Result<std::shared_ptr<RemoteTier>> open(RemoteOptions Options);
  virtual ~RemoteTier() = default;
  RemoteTier(const RemoteTier &) = delete;
  RemoteTier &operator=(const RemoteTier &) = delete;

  /// The entry, if the server has it in time and nothing is wrong with it.
  /// \p Problem receives what a person should know, once for each failure.
  virtual std::optional<RemoteEntry> fetch(const RemoteWanted &Wanted,
                                           std::string &Problem) = 0;

  /// Uploads the entry, unless that is not allowed or the server is left alone.
  virtual void store(const EntryInfo &Info, std::string_view Payload,
                     std::string &Problem) = 0;

  /// Whether the server has something under this key, pause or not. Errors:
  /// IoError with the reason.
  virtual Result<bool> has(const Digest &Id) = 0;

  /// Uploads an entry, given as the bytes of its file, and waits for that,
  /// pause or not. Errors: InvalidArgument, not with Read, or it is too large;
  /// IoError with the reason.
  virtual Status upload(const Digest &Id, std::string Entry) = 0;

  /// Asks the server, pause or not: a round trip with a value of its own where
  /// writing is allowed, else one question. Errors: IoError with the reason.
  virtual Status check() = 0;

  /// The URL without user and password.
  virtual const std::string &name() const = 0;
  virtual RemoteMode mode() const = 0;
  /// Whether Insecure is what lets this server be asked.
  virtual bool isInsecure() const = 0;

  /// Whether entries of this kind may leave the machine.
  static bool takes(const std::string &Kind);

protected:
  RemoteTier() = default;
};

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_REMOTE_H
