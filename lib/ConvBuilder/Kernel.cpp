//===- Kernel.cpp - a compiled kernel -------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executor has cache, key, compiler and loader; here is only what is asked
// of it.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Kernel.h"

#include "kpack/ConvBuilder/Emit.h"

using namespace kpack;
using namespace kpack::conv;

Result<ConvKernel> ConvKernel::compile(const Signature &Sig,
                                       const Algorithm &How,
                                       const std::string &Processor,
                                       const jit::Options &Options) {
  bool IsCpu = Processor == CpuProcessor;
  Result<KernelSource> From = emit(Sig, How, Processor);
  if (!From)
    return From.status();
  jit::Source Source{std::move(From->Text), From->Symbol,
                     std::move(From->Headers),
                     From->Symbol + (IsCpu ? ".cpp" : ".hip")};
  jit::Options With = Options;
  With.flags.push_back("-fno-math-errno");
  if (!IsCpu)
    With.target = Processor;
  std::vector<std::string> Symbols;
  for (KernelStep Step : stepsOf(From->Made))
    Symbols.push_back(From->Symbol + std::string(suffixOf(Step)));
  Result<jit::Program> Compiled =
      IsCpu ? jit::compile_program<Function>(Source, Symbols, With)
            : jit::compile_program(Source, Symbols, With);
  if (!Compiled)
    return Compiled.status();
  ConvKernel Made(std::move(*Compiled));
  Made.Sig = Sig;
  Made.Made = From->Made;
  Made.Processor = Processor;
  unsigned Next = 0;
  for (KernelStep Step : stepsOf(From->Made)) {
    std::string &Symbol = Made.Symbols[static_cast<int>(Step)];
    Symbol = Symbols[Next++];
    if (!IsCpu)
      continue;
    Result<jit::Executor<Function>> Found =
        jit::executor<Function>(Made.Owner, Symbol);
    if (!Found)
      return Found.status();
    Made.OnCpu[static_cast<int>(Step)] = Found->native_handle();
  }
  return Made;
}

void ConvKernel::runOnCpu(const KernelLaunch &Launch) const {
  for (const LaunchStep &Step : Launch.Steps)
    for (unsigned Z = 0; Z < Step.Grid[2]; ++Z)
      for (unsigned Y = 0; Y < Step.Grid[1]; ++Y)
        for (unsigned X = 0; X < Step.Grid[0]; ++X)
          OnCpu[static_cast<int>(Step.Which)](Launch.Arguments.data(), X, Y, Z);
}
