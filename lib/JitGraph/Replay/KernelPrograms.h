//===- KernelPrograms.h - compiled kernels of a plan ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan's own kernels are one program. Each text of a user is another one,
// compiled as without a graph: without reordering (PrepareConfig::math), and
// with the kernel's name in error messages.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_REPLAY_KERNELPROGRAMS_H
#define KPACK_LIB_JITGRAPH_REPLAY_KERNELPROGRAMS_H

#include "ReplayBackend.h"

namespace kpack::jit {

class KernelPrograms {
public:
  /// Compiles all of \p Plan, or finds it in the cache; checks that each kernel
  /// has the type \p Type, if given. Fails with the errors of compiles.
  static Result<KernelPrograms>
  compile(const GraphPlan &Plan, const PrepareConfig &Config, const char *Type);

  /// Return the program of kernel \p K of the plan, and the index in it.
  kpack_jit_program *program(size_t K) const { return Places[K].Program; }
  size_t index(size_t K) const { return Places[K].Index; }
  /// Returns an entry for each kernel of the plan.
  const std::vector<CompiledKernel> &kernels() const { return Kernels; }

private:
  struct Release {
    void operator()(kpack_jit_program *P) const {
      kpack_jit_program_release(P);
    }
  };
  struct Place {
    kpack_jit_program *Program = nullptr;
    size_t Index = 0;
  };
  std::vector<std::unique_ptr<kpack_jit_program, Release>> Programs;
  std::vector<Place> Places;
  std::vector<CompiledKernel> Kernels;
};

/// Returns the error of the last function of the C API that failed on this
/// thread.
Status compileFailure(kpack_jit_status Code);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_KERNELPROGRAMS_H
