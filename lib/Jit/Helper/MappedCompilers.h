//===- MappedCompilers.h - compilers in this process ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How `kpack-jit-compile --serve` (CompileServer.h) sees clang and lld, which
// are in a module that it loads and a one-shot helper does not
// (lib/Jit/Server): linked in, they would cost the start of every helper eleven
// milliseconds. Module and program are of one build; their symbol's name says
// which.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_HELPER_MAPPEDCOMPILERS_H
#define KPACK_JIT_HELPER_MAPPEDCOMPILERS_H

#include <optional>
#include <string>
#include <vector>

namespace kpack::jit {

class MappedCompilers {
public:
  virtual ~MappedCompilers() = default;

  /// Compiles something small, so that what is set up only once is there.
  virtual void warmUp() = 0;

  /// Does what the program \p Arguments[0] would do, with this process's
  /// directory, environment and streams, and gives its exit code. Nothing where
  /// only that program can do it; it has not begun then. May end the process.
  virtual std::optional<int> run(const std::vector<std::string> &Arguments) = 0;

  /// Whether something that was run may show in what is run next.
  virtual bool isSpent() const = 0;
};

/// The module's only function, called once; the object lives as long as the
/// process.
using MapCompilers = MappedCompilers *();

} // namespace kpack::jit

#endif // KPACK_JIT_HELPER_MAPPEDCOMPILERS_H
