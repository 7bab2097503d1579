//===- Explain.h - why there is no device code ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that a HIP runtime says of missing device code is an error number. These
// messages name the binary, the device, what was looked for and where, and what
// to do about it; on stderr, once for a binary and device, however many
// wrappers the binary has.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_EXPLAIN_H
#define KPACK_LIB_HIPSHIM_EXPLAIN_H

#include "CodeFinder.h"

#include <set>
#include <string>
#include <vector>

namespace kpack::hipshim {

/// Called with the lock of LazyMemory held: one thread at a time.
class Explainer {
public:
  /// "kpack_hip: error: <object>: <what>".
  void say(const std::string &Object, const std::string &What);

  /// Nothing in \p S serves \p D; an unknown device is empty.
  void missing(const Wanted &W, const runtime::Device &D, const Search &S);

  /// There are entries for \p Target but none of them can be read.
  void unreadable(const Wanted &W, const std::string &Target,
                  const std::vector<Candidate> &Candidates);

private:
  std::set<std::string> Said;
};

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_EXPLAIN_H
