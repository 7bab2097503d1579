//===- Explainer.h - errors about missing device code -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A HIP runtime reports missing device code only as an error number. These
// messages name the binary, the device, the missing entry, the paths searched
// and the remedy. They go to stderr, once for each binary and device, however
// many wrappers the binary has.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_EXPLAINER_H
#define KPACK_LIB_HIPSHIM_EXPLAINER_H

#include "CodeFinder.h"

#include <set>
#include <string>
#include <vector>

namespace kpack::hipshim {

/// Used with the lock of LazyMemory held, so by one thread at a time.
class Explainer {
public:
  /// Writes "kpack_hip: error: <object>: <what>".
  void say(const std::string &Object, const std::string &Message);

  /// Reports that no entry in \p S serves \p D, which is empty if unknown.
  void missing(const Wanted &W, const runtime::Device &D, const Search &S);

  /// Reports that none of the entries for \p Target can be read.
  void unreadable(const Wanted &W, const std::string &Target,
                  const std::vector<Candidate> &Candidates);

private:
  std::set<std::string> Said;
};

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_EXPLAINER_H
