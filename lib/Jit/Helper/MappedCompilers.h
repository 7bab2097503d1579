//===- MappedCompilers.h - interface to mapped clang and lld ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of `kpack-jit-compile --serve` (CompileServer.cpp) to clang and
// lld. They are in a module that only the server loads (lib/Jit/Server): linked
// in, they would add eleven milliseconds to the start of every helper. Module
// and program are of the same build, which the name of the module's symbol
// contains.
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

  /// Compiles something small, so that one-time initialization is done.
  virtual void warmUp() = 0;

  /// Does the work of the program \p Arguments[0] with this process's
  /// directory, environment and streams, and returns its exit code. Returns
  /// nullopt, before doing anything, if only that program can do it. May end
  /// the process.
  virtual std::optional<int> run(const std::vector<std::string> &Arguments) = 0;

  /// Returns true if a past run may affect the next one.
  virtual bool isSpent() const = 0;
};

/// The module's only function, called once; the object lives as long as the
/// process.
using MapCompilers = MappedCompilers *();

} // namespace kpack::jit

#endif // KPACK_JIT_HELPER_MAPPEDCOMPILERS_H
