//===- KeptTargets.h - target machines that stay ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang makes a target machine for each compile, and that one makes tables of
// all registers and what they overlap: for a small kernel of an AMD GPU a third
// of the compile. Here one stays for the next compile of the same kind, that
// is: with the same arguments but for the names of files. Only where the code
// cannot show it: objects, without debug information, and without the
// floating-point modes that a function may set anew for all that follow it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVER_KEPTTARGETS_H
#define KPACK_LIB_JIT_SERVER_KEPTTARGETS_H

#include "llvm/ADT/ArrayRef.h"

namespace clang {
class CompilerInvocation;
} // namespace clang

namespace kpack::jit {

/// Around one run of the front end in this process.
class KeptTarget {
public:
  /// \p Args are those of `clang -cc1`. Has \p Invocation leave its target
  /// machine to us where it may be kept.
  KeptTarget(llvm::ArrayRef<const char *> Args,
             clang::CompilerInvocation &Invocation);
  ~KeptTarget();
  KeptTarget(const KeptTarget &) = delete;
  KeptTarget &operator=(const KeptTarget &) = delete;

  /// The run has ended well: what it has used may be used again.
  void keep() { IsGood = true; }

private:
  bool IsGood = false;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVER_KEPTTARGETS_H
