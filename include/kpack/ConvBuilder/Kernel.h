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
// A convolution is one kernel, or two where its sum is divided: a list of
// steps, which all take the same arguments. Memory between them is the
// caller's, and how much is known before anything is compiled:
//
//   Args.workspace = allocate(workspaceBytes(Sig, *lower(Sig, How, "gfx90a"),
//                                            Problem));
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_KERNEL_H
#define KPACK_CONVBUILDER_KERNEL_H

#include "kpack/ConvBuilder/Launch.h"
#include "kpack/Jit/Executor.h"

namespace kpack::conv {

/// The processor whose code this process can call.
inline constexpr std::string_view CpuProcessor = "cpu";

class ConvKernel {
public:
  /// \p Processor is a target id, or CpuProcessor. Errors: those of lower() and
  /// of jit::compile(); detail() MissingKernel where \p Allowed forbids to
  /// compile.
  static Result<ConvKernel> compile(const Signature &Sig, const Algorithm &How,
                                    const std::string &Processor,
                                    const jit::Options &Options = {},
                                    jit::Lookup Allowed = jit::Lookup::Compile);
  /// Of a code object that was compiled before, an archive's for example.
  /// Errors: those of lower(); InvalidFormat, \p Owner has other kernels.
  static Result<ConvKernel> of(jit::Program Owner, const Signature &Sig,
                               const Algorithm &How,
                               const std::string &Processor);

  const Lowered &lowered() const { return Made; }
  const std::string &symbol() const { return Symbols[int(KernelStep::Main)]; }
  /// Empty where there is no such step.
  const std::string &symbol(KernelStep Of) const { return Symbols[int(Of)]; }
  const std::string &processor() const { return Processor; }
  /// Of a GPU's kernel: the code object.
  std::string_view image() const { return Owner.image(); }
  const jit::Program &program() const { return Owner; }

  Result<KernelLaunch> launchOf(const Problem &Sizes, const Args &With) const {
    return conv::launchOf(Sig, Made, Sizes, With);
  }
  /// All work-groups of all steps, one after another, on the calling thread; of
  /// a kernel of CpuProcessor.
  void runOnCpu(const KernelLaunch &Launch) const;

private:
  using Function = void(const void *, unsigned, unsigned, unsigned);
  ConvKernel(jit::Program Owner) : Owner(std::move(Owner)) {}
  /// Finds the kernel of a step.
  Status take(KernelStep Step, const std::string &Symbol);

  Signature Sig;
  Lowered Made;
  std::array<std::string, MaxSteps> Symbols;
  std::string Processor;
  jit::Program Owner;
  std::array<Function *, MaxSteps> OnCpu = {}; ///< null: a GPU's
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_KERNEL_H
