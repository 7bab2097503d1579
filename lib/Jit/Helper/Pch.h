//===- Pch.h - headers of a family, compiled once ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family are sources with the same preamble, flags and compiler: the blobs of
// one library. Its preamble is precompiled once for each half of a HIP source,
// together with what a sibling's kernels instantiate (PchInstantiations.h), and
// kept in the cache as one entry of kind "pch". It is a shortcut and no more:
// where there is none, or the compiler refuses it, the source is compiled
// without, with the same outcome. Runs in the compile helper.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_PCH_H
#define KPACK_LIB_JIT_HELPER_PCH_H

#include "CompileJob.h"

#include "Jit/Helper/CompileHelper.h"
#include "Jit/Service/Preamble.h"
#include "Jit/Store/Store.h"

namespace kpack::jit {

class Pch {
public:
  /// \p Place and \p Work outlive this object.
  Pch(const PchPlace &Place, CompileJob &Work, Demangler Demangle);

  /// Whether the request says where they are kept.
  bool isPossible() const { return Root && Start.Bytes != 0; }

  /// Takes the headers from the cache into the folder. False: there are none.
  bool find();

  /// Compiles them, unless another process does that now or has done it, for
  /// which it waits at most \p MaxWait seconds. True: find() finds something.
  bool make(double MaxWait);

  /// Remembers in the cache that the family was missed. False the first time.
  bool wasMissedBefore();

  /// For compileCommands(), after find() was true; with no files when the
  /// family's headers cannot be precompiled.
  const PchFiles &files() const { return Files; }

private:
  std::vector<std::string> kernels();
  std::vector<std::string> instantiations(size_t Halves);
  bool compileHeaders(const std::vector<std::string> &Instantiations);
  Result<std::string> payload();

  const PchPlace &Place;
  CompileJob &Work;
  const Demangler Demangle;
  Preamble Start;
  std::unique_ptr<Store> Root;
  PchFiles Files;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_PCH_H
