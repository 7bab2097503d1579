//===- Classify.h - kind of an intercepted command --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which of a build's commands are handled without a compiler. The
// default patterns are those of ComposableKernel's attention libraries; other
// libraries set theirs in the environment:
//   CK_JIT_DISPATCHERS  regular expression (POSIX, extended) for file names
//   CK_JIT_BLOBS        parts of absolute paths, ':' between them
//   CK_JIT_LIBRARIES    regular expression for the file name of a link's output
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_INTERCEPT_CLASSIFY_H
#define KPACK_CKJIT_INTERCEPT_CLASSIFY_H

#include "CkJit/Intercept/CompilerArguments.h"
#include "CkJit/Manifest/Manifest.h"

namespace kpack::ckjit {

struct Patterns {
  std::string Dispatchers;
  std::vector<std::string> Blobs;
  std::string Libraries;

  /// An empty variable counts as not set.
  static Patterns fromEnvironment();
};

enum class InvocationKind {
  PassThrough,
  Link,
  OtherLink, ///< of a shared library: Link if an input is a stub
  Compile
};

struct Invocation {
  InvocationKind Kind = InvocationKind::PassThrough;
  /// For Compile: the sources that become stub objects, without words, folder
  /// and compiler.
  std::vector<ManifestEntry> Sources;
};

/// Tests in this order: without -c it is a link, and the name of its output
/// decides; then dispatchers; then blobs; all else passes through. Errors:
/// InvalidArgument for an invalid pattern.
Result<Invocation> classify(const std::vector<Argument> &Arguments,
                            const std::string &Directory,
                            const Patterns &Wanted);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_INTERCEPT_CLASSIFY_H
