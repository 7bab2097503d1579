//===- Jit/Service/RemotePause.h - a server that is left alone --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After a failure a server is not asked for a while: by this process, which
// remembers, nor by others, which read a small file "<seconds since 1970> why".
// A file that cannot be written or makes no sense is no pause.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_REMOTEPAUSE_H
#define KPACK_JIT_SERVICE_REMOTEPAUSE_H

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kpack::jit {

/// \p Text for a message: one line, not a long one, and nothing that a terminal
/// would obey. What a server says is not to be trusted.
std::string oneLine(std::string_view Text);

/// Not thread-safe.
class RemotePause {
public:
  /// \p File may be empty: this process only.
  RemotePause(std::string File, double Seconds)
      : File(std::move(File)), Seconds(Seconds) {}

  /// Why the server is left alone now, if it is.
  std::optional<std::string> reason() const;
  void begin(const std::string &Why);
  /// The server has answered.
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
