//===- KeptTargets.h - reused LLVM target machines --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang makes a target machine for each compile, which builds tables of all
// registers and their overlaps: for a small kernel of an AMD GPU a third of the
// compile. Here a target machine is reused for the next compile with the same
// arguments except file names. That is limited to cases in which the code
// cannot differ: objects without debug information, and without the
// floating-point modes that a function may set for all that follow it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVER_KEPTTARGETS_H
#define KPACK_LIB_JIT_SERVER_KEPTTARGETS_H

#include "llvm/ADT/ArrayRef.h"

namespace clang {
class CompilerInvocation;
} // namespace clang

namespace kpack::jit {

/// Holds the target machine of one front end run in this process.
class KeptTarget {
public:
  /// \p Args are those of `clang -cc1`. If the target machine may be reused,
  /// changes \p Invocation so that this object owns it.
  KeptTarget(llvm::ArrayRef<const char *> Args,
             clang::CompilerInvocation &Invocation);
  ~KeptTarget();
  KeptTarget(const KeptTarget &) = delete;
  KeptTarget &operator=(const KeptTarget &) = delete;

  /// Marks the run as successful: its target machine may be reused.
  void keep() { IsGood = true; }

private:
  bool IsGood = false;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVER_KEPTTARGETS_H
