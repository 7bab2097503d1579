//===- KernelPrograms.h - a plan's kernels, compiled ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels that a plan has written are one program; each text of a user is
// one more, which is compiled as it would be without a graph: nothing of it is
// reordered (PrepareConfig::math), and a mistake is told with the kernel's
// name.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_REPLAY_KERNELPROGRAMS_H
#define KPACK_LIB_JITGRAPH_REPLAY_KERNELPROGRAMS_H

#include "ReplayBackend.h"

namespace kpack::jit {

class KernelPrograms {
public:
  /// Compiles all of \p Plan, or finds it in the cache; each kernel is of the
  /// type \p Type if there is one. Errors: those of compiles.
  static Result<KernelPrograms>
  compile(const GraphPlan &Plan, const PrepareConfig &How, const char *Type);

  /// Where kernel \p K of the plan is.
  kpack_jit_program *program(size_t K) const { return Places[K].Program; }
  size_t index(size_t K) const { return Places[K].Index; }
  /// Of each kernel of the plan.
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

/// Of the last function of the C API that failed on this thread.
Status compileFailure(kpack_jit_status Code);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_KERNELPROGRAMS_H
