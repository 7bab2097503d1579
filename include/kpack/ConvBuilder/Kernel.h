//===- Kernel.h - convolution kernel compiled on demand ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a signature and an algorithm with the executor
// (kpack/Jit/Executor.h), which takes the kernel from memory, from its files,
// or compiles it. For a problem, it then returns the work-groups and the
// arguments of a launch. It does not launch (Backend.h), and chooses nothing:
// the values come from resolve().
//
//   Result<ConvKernel> Kernel = ConvKernel::compile(Sig, How, "gfx90a");
//   Result<KernelLaunch> Launch = Kernel->launchOf(Problem, Args);
//
// A convolution is one kernel, or two if its sum is divided: a list of steps
// with the same arguments. The caller provides the memory between them, whose
// size is known before the compile:
//
//   Args.workspace = allocate(workspaceBytes(Sig, *lower(Sig, How, "gfx90a"),
//                                            Problem));
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_KERNEL_H
#define KPACK_CONVBUILDER_KERNEL_H

#include "kpack/ConvBuilder/CodeFacts.h"
#include "kpack/ConvBuilder/Launch.h"
#include "kpack/ConvBuilder/Report.h"
#include "kpack/Jit/Executor.h"

#include <optional>

namespace kpack::conv {

struct KernelSource; // Emit.h

/// The processor of kernels that this process can call.
inline constexpr std::string_view CpuProcessor = "cpu";
/// Capabilities have no column for CPUs. Parts of tiles are chosen as for this
/// processor, which has no matrix instructions.
inline constexpr std::string_view LikeTheCpu = "gfx1030";
/// Sets the kind and the isa of \p Algo for a CPU if they are open.
Algorithm openForCpu(Algorithm Algo);

class ConvKernel {
public:
  /// Compiles a kernel. \p Processor is a target id or CpuProcessor. Errors:
  /// those of lower() and of jit::compile(); detail() MissingKernel if \p
  /// Allowed forbids compiling; WrongIsa if the code is for another processor
  /// or another wave size (R5), for example from a modified cache.
  static Result<ConvKernel> compile(const Signature &Sig, const Algorithm &Algo,
                                    const std::string &Processor,
                                    const jit::Options &Options = {},
                                    jit::Lookup Allowed = jit::Lookup::Compile);
  /// Finds the kernel in a code object that was compiled before, such as one of
  /// an archive. Errors: those of lower(); InvalidFormat, \p Owner has other
  /// kernels; WrongIsa (R5).
  static Result<ConvKernel> of(jit::Program Owner, const Signature &Sig,
                               const Algorithm &Algo,
                               const std::string &Processor);

  /// Compiles the output of emit() for these values, possibly modified. Does
  /// not check that text and integers match.
  static Result<ConvKernel> compile(KernelSource Source, const Signature &Sig,
                                    const Algorithm &Algo,
                                    const std::string &Processor,
                                    const jit::Options &Options = {},
                                    jit::Lookup Allowed = jit::Lookup::Compile);

  const Signature &signature() const { return Sig; }
  const Algorithm &algorithm() const { return How; }
  const Lowered &lowered() const { return Made; }
  const std::string &symbol() const { return Symbols[int(KernelStep::Main)]; }
  /// Empty if there is no such step.
  const std::string &symbol(KernelStep Step) const {
    return Symbols[int(Step)];
  }
  const std::string &processor() const { return Processor; }
  /// The code object of a GPU's kernel.
  std::string_view image() const { return Owner.image(); }
  const jit::Program &program() const { return Owner; }

  /// The compiler's facts of a GPU's kernel; nullopt for the CPU.
  const std::optional<CodeFacts> &code() const { return Facts; }
  /// Registers of a lane of a GPU's kernel, which replace the model's
  /// (registersOf()); 0 for the CPU.
  int measuredRegisters() const { return Facts ? Facts->Vgprs : 0; }
  /// Reports the requirements R (Requirements.h) that the code violates. Such
  /// kernels run correctly, but slower than possible, or a model is wrong.
  Report checkCode() const;

  Result<KernelLaunch> launchOf(const Problem &Sizes, const Args &With) const {
    return conv::launchOf(Sig, Made, Sizes, With);
  }
  /// Runs all work-groups of all steps in sequence on the calling thread. For
  /// kernels of CpuProcessor.
  void runOnCpu(const KernelLaunch &Launch) const;

private:
  using Function = void(const void *, unsigned, unsigned, unsigned);
  ConvKernel(jit::Program Owner) : Owner(std::move(Owner)) {}
  static Result<ConvKernel> of(jit::Program Owner, const Signature &Sig,
                               const Algorithm &Algo,
                               const std::string &Processor, const Lowered &L);
  /// Finds the kernel of a step.
  Status take(KernelStep Step, const std::string &Symbol);

  Signature Sig;
  Algorithm How;
  Lowered Made;
  std::optional<CodeFacts> Facts;
  std::array<std::string, MaxSteps> Symbols;
  std::string Processor;
  jit::Program Owner;
  std::array<Function *, MaxSteps> OnCpu = {}; ///< null for a GPU's kernel
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_KERNEL_H
