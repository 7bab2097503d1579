//===- Pch.h - precompiled headers of similar sources -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family is a set of sources with the same preamble, flags and compiler: the
// blobs of one library. Its preamble is precompiled once for each half of a HIP
// source, with the instantiations of a sibling's kernels (PchInstantiations.h),
// and cached as one entry of kind "pch". It only saves time: if there is none,
// or the compiler rejects it, the source is compiled without it and gives the
// same product. Runs in the compile helper.
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
  /// \p Place and \p Work must outlive this object.
  Pch(const PchPlace &Place, CompileJob &Work, Demangler Demangle);

  /// Returns true if the request has a store for them and a preamble.
  bool isPossible() const { return Root && Start.Bytes != 0; }

  /// Copies the headers from the cache to the folder. Returns false if there
  /// are none.
  bool find();

  /// Compiles the headers unless another process has done so or is doing so,
  /// for which it waits at most \p MaxWait seconds. Returns true if find() will
  /// find an entry.
  bool make(double MaxWait);

  /// Records the family's miss in the cache. Returns false the first time.
  bool wasMissedBefore();

  /// For compileCommands(), after find() returned true; has no files if the
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
