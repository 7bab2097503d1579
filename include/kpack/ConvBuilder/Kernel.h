//===- kpack/ConvBuilder/Kernel.h - a compiled kernel -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signature and an algorithm as code, by the executor of
// kpack/Jit/Executor.h: from its memory, from its files, or compiled. Then, for
// a problem, the work- groups and the arguments of one launch. Nothing is
// launched here (Backend.h), and nothing is chosen: values are those that
// resolve() has made.
//
//   Result<ConvKernel> Kernel = ConvKernel::compile(Sig, How, "gfx90a");
//   Result<KernelLaunch> Launch = Kernel->launchOf(Problem, Args);
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_KERNEL_H
#define KPACK_CONVBUILDER_KERNEL_H

#include "kpack/ConvBuilder/Args.h"
#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/Problem.h"
#include "kpack/Jit/Executor.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace kpack::conv {

/// The processor whose code this process can call.
inline constexpr std::string_view CpuProcessor = "cpu";

/// All that a launch is beside the kernel.
struct KernelLaunch {
  std::array<uint32_t, 3> Grid = {1, 1, 1}; ///< work-groups
  uint32_t Block = 1;                       ///< threads of each
  std::vector<std::byte> Arguments;         ///< one, by value
  /// Operands of the operations of input, weight and output.
  std::array<unsigned, 3> AuxiliaryCounts = {};

  /// Other tensors and numbers for the same problem. Allocates nothing.
  void setArgs(const Args &With);
};

/// The launch for a problem. Errors: InvalidArgument, sizes or strides that the
/// kernel cannot have.
Result<KernelLaunch> launchOf(const Signature &Sig, const Lowered &Kernel,
                              const Problem &Sizes, const Args &With);

class ConvKernel {
public:
  /// \p Processor is a target id, or CpuProcessor. Errors: those of lower() and
  /// of jit::compile().
  static Result<ConvKernel> compile(const Signature &Sig, const Algorithm &How,
                                    const std::string &Processor,
                                    const jit::Options &Options = {});

  const Lowered &lowered() const { return Made; }
  const std::string &symbol() const { return Symbol; }
  const std::string &processor() const { return Processor; }
  /// Of a GPU's kernel: the code object.
  std::string_view image() const { return Owner.image(); }
  const jit::Program &program() const { return Owner; }

  Result<KernelLaunch> launchOf(const Problem &Sizes, const Args &With) const {
    return conv::launchOf(Sig, Made, Sizes, With);
  }
  /// All work-groups, one after another, on the calling thread; of a kernel of
  /// CpuProcessor.
  void runOnCpu(const KernelLaunch &Launch) const;

private:
  using Function = void(const void *, unsigned, unsigned, unsigned);
  ConvKernel(jit::Program Owner) : Owner(std::move(Owner)) {}

  Signature Sig;
  Lowered Made;
  std::string Symbol, Processor;
  jit::Program Owner;
  Function *OnCpu = nullptr; ///< null: a GPU's
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_KERNEL_H
