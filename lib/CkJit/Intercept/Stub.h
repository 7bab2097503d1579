//===- Stub.h - what a build gets instead of an object ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object without code for the host's architecture. Linkers take it and leave
// nothing of it in the output; the record of its compile is in a section that
// is excluded from links. So the link step knows it also where a compiler cache
// has brought the object back and no compiler was run. And the file of
// dependencies that build systems wait for.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_INTERCEPT_STUB_H
#define KPACK_CKJIT_INTERCEPT_STUB_H

#include "CkJit/Intercept/CommandLine.h"

#include <optional>

namespace kpack::ckjit {

std::string stubObject(std::string_view Record);
/// The record in a stub; nothing for any other file's bytes.
std::optional<std::string_view> recordOfStub(std::string_view Object);

/// Whether the file at \p Path begins as stubs do, and hardly anything else.
bool looksLikeStub(const std::string &Path);

/// Where -MD puts the dependencies of \p Output, and their target.
struct DependencyFile {
  std::string Path;       ///< empty: not asked for
  std::string Target;     ///< as it stands in a makefile
  bool HasTarget = false; ///< it was given by -MT or -MQ
};
DependencyFile dependencyFile(const std::vector<Argument> &Arguments,
                              const std::string &Output);

/// "target: source", as make reads it.
std::string dependencyRule(const DependencyFile &File, std::string_view Source);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_INTERCEPT_STUB_H
