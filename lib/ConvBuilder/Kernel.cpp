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
  Function *OnCpu = nullptr;
  auto Take = [&](jit::Program Owner) {
    ConvKernel Made(std::move(Owner));
    Made.Sig = Sig;
    Made.Made = From->Made;
    Made.Symbol = From->Symbol;
    Made.Processor = Processor;
    Made.OnCpu = OnCpu;
    return Made;
  };
  if (!IsCpu) {
    With.target = Processor;
    Result<jit::Program> Compiled =
        jit::compile_program(Source, std::span(&From->Symbol, 1), With);
    return Compiled ? Result<ConvKernel>(Take(std::move(*Compiled)))
                    : Compiled.status();
  }
  Result<jit::Executor<Function>> Compiled =
      jit::compile<Function>(Source, With);
  if (!Compiled)
    return Compiled.status();
  OnCpu = Compiled->native_handle();
  return Take(Compiled->program());
}

void ConvKernel::runOnCpu(const KernelLaunch &Launch) const {
  for (unsigned Z = 0; Z < Launch.Grid[2]; ++Z)
    for (unsigned Y = 0; Y < Launch.Grid[1]; ++Y)
      for (unsigned X = 0; X < Launch.Grid[0]; ++X)
        OnCpu(Launch.Arguments.data(), X, Y, Z);
}
