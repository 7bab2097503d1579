//===- Stub.h - objects in place of deferred compiles -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stub is an object for the host's architecture without code. Linkers accept
// it and copy nothing of it to the output; the record of its compile is in a
// section that is excluded from links. So the link step has the record even if
// a compiler cache restored the object and no compiler ran. This file also
// writes the dependency files that build systems need.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_INTERCEPT_STUB_H
#define KPACK_CKJIT_INTERCEPT_STUB_H

#include "CkJit/Intercept/CompilerArguments.h"

#include <optional>

namespace kpack::ckjit {

std::string stubObject(std::string_view Record);
/// Returns the record in a stub; nullopt for other files.
std::optional<std::string_view> recordOfStub(std::string_view Object);

/// Returns true if the file at \p Path begins like a stub, as hardly any other
/// file does.
bool looksLikeStub(const std::string &Path);

/// The file of -MD for the dependencies of \p Output, and its target.
struct DependencyFile {
  std::string Path;       ///< empty if not requested
  std::string Target;     ///< in make's quoting
  bool HasTarget = false; ///< given by -MT or -MQ
};
DependencyFile dependencyFile(const std::vector<Argument> &Arguments,
                              const std::string &Output);

/// Returns "target: source" in make's syntax.
std::string dependencyRule(const DependencyFile &File, std::string_view Source);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_INTERCEPT_STUB_H
