//===- RemotePause.h - pause after a server's failure -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After a failure, requests to a server stop for a while: in this process,
// which keeps the time, and in others, which read a small file with "<seconds
// since 1970> <reason>". A file that cannot be written or parsed gives no
// pause.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_REMOTEPAUSE_H
#define KPACK_JIT_SERVICE_REMOTEPAUSE_H

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kpack::jit {

/// Makes \p Text safe for a message: one short line without control characters.
/// Text from a server is not trusted.
std::string oneLine(std::string_view Text);

/// Not thread-safe.
class RemotePause {
public:
  /// \p File may be empty: the pause is then for this process only.
  RemotePause(std::string File, double Seconds)
      : File(std::move(File)), Seconds(Seconds) {}

  /// Returns the reason of the current pause, if any.
  std::optional<std::string> reason() const;
  void begin(const std::string &Why);
  /// Ends the pause after an answer of the server.
  void end();

private:
  std::optional<std::string> reasonInFile() const;

  std::string File;
  double Seconds;
  std::chrono::steady_clock::time_point Until;
  std::string Reason;
};

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_REMOTEPAUSE_H
