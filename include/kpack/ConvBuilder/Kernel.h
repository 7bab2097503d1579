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

#include "kpack/ConvBuilder/CodeFacts.h"
#include "kpack/ConvBuilder/Launch.h"
#include "kpack/ConvBuilder/Report.h"
#include "kpack/Jit/Executor.h"

#include <optional>

namespace kpack::conv {

struct KernelSource; // Emit.h

/// The processor whose code this process can call.
inline constexpr std::string_view CpuProcessor = "cpu";
/// Capabilities have no column for CPUs: parts of tiles are chosen there as for
/// this processor, which has no instructions for matrices.
inline constexpr std::string_view LikeTheCpu = "gfx1030";
/// \p How with the kind and the isa that a CPU has for it, where they are open.
Algorithm openForCpu(Algorithm How);

class ConvKernel {
public:
  /// \p Processor is a target id, or CpuProcessor. Errors: those of lower() and
  /// of jit::compile(); detail() MissingKernel where \p Allowed forbids to
  /// compile; WrongIsa, the code is for another processor or another size of
  /// waves (R5), as of a cache that somebody has changed.
  static Result<ConvKernel> compile(const Signature &Sig, const Algorithm &How,
                                    const std::string &Processor,
                                    const jit::Options &Options = {},
                                    jit::Lookup Allowed = jit::Lookup::Compile);
  /// Of a code object that was compiled before, an archive's for example.
  /// Errors: those of lower(); InvalidFormat, \p Owner has other kernels;
  /// WrongIsa (R5).
  static Result<ConvKernel> of(jit::Program Owner, const Signature &Sig,
                               const Algorithm &How,
                               const std::string &Processor);

  /// The same of what emit() has made of these values, and somebody may have
  /// changed, text and integers: whether these belong together is not checked.
  static Result<ConvKernel> compile(KernelSource From, const Signature &Sig,
                                    const Algorithm &How,
                                    const std::string &Processor,
                                    const jit::Options &Options = {},
                                    jit::Lookup Allowed = jit::Lookup::Compile);

  const Signature &signature() const { return Sig; }
  const Algorithm &algorithm() const { return How; }
  const Lowered &lowered() const { return Made; }
  const std::string &symbol() const { return Symbols[int(KernelStep::Main)]; }
  /// Empty where there is no such step.
  const std::string &symbol(KernelStep Of) const { return Symbols[int(Of)]; }
  const std::string &processor() const { return Processor; }
  /// Of a GPU's kernel: the code object.
  std::string_view image() const { return Owner.image(); }
  const jit::Program &program() const { return Owner; }

  /// What a GPU's kernel takes, by the compiler; nothing: the CPU's.
  const std::optional<CodeFacts> &code() const { return Facts; }
  /// Registers of a lane that a GPU's kernel takes, in place of the model's
  /// (registersOf()); 0: the CPU's.
  int measuredRegisters() const { return Facts ? Facts->Vgprs : 0; }
  /// Requirements R that the code does not meet (Requirements.h). Kernels run
  /// nevertheless: they are slower than they could be, or a model is wrong.
  Report checkCode() const;

  Result<KernelLaunch> launchOf(const Problem &Sizes, const Args &With) const {
    return conv::launchOf(Sig, Made, Sizes, With);
  }
  /// All work-groups of all steps, one after another, on the calling thread; of
  /// a kernel of CpuProcessor.
  void runOnCpu(const KernelLaunch &Launch) const;

private:
  using Function = void(const void *, unsigned, unsigned, unsigned);
  ConvKernel(jit::Program Owner) : Owner(std::move(Owner)) {}
  static Result<ConvKernel> of(jit::Program Owner, const Signature &Sig,
                               const Algorithm &How,
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
  std::array<Function *, MaxSteps> OnCpu = {}; ///< null: a GPU's
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_KERNEL_H
