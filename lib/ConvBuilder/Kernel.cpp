//===- Kernel.cpp - convolution kernel compiled on demand -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executor has the cache, the keys, the compiler and the loader. This file
// makes the requests and checks the results: a cache entry is not trusted.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Kernel.h"

#include "ConvBuilder/Emit.h"
#include "kpack/ConvBuilder/CodeObject.h"
#include "kpack/ConvBuilder/LowerAlgorithm.h"
#include "kpack/ConvBuilder/Requirements.h"

using namespace kpack;
using namespace kpack::conv;

Algorithm conv::openForCpu(Algorithm Algo) {
  if (Algo.isa == Isa::AUTO)
    Algo.isa = Isa::VALU;
  if (Algo.kind == Kind::AUTO && Algo.isa == Isa::VALU && !Algo.tile &&
      !Algo.thread)
    Algo.kind = Kind::DIRECT;
  return Algo;
}

Report ConvKernel::checkCode() const {
  return Facts ? validateCode(Sig, How, Target(Processor), *Facts) : Report();
}

/// Returns the error for a finding that makes results wrong.
static Status refusal(const Report &Found) {
  for (unsigned I = 0; I < Found.size(); ++I)
    if (Found[I].Id == "R5")
      return Status(StatusCode::InvalidFormat, std::string(Found.textOf(I)),
                    Errc::WrongIsa);
  return Status::success();
}

Result<ConvKernel> ConvKernel::compile(const Signature &Sig,
                                       const Algorithm &Algo,
                                       const std::string &Processor,
                                       const jit::Options &Options,
                                       jit::Lookup Allowed) {
  Result<KernelSource> Emitted = emit(Sig, Algo, Processor);
  if (!Emitted)
    return Emitted.status();
  return compile(std::move(*Emitted), Sig, Algo, Processor, Options, Allowed);
}

Result<ConvKernel>
ConvKernel::compile(KernelSource Emitted, const Signature &Sig,
                    const Algorithm &Algo, const std::string &Processor,
                    const jit::Options &Options, jit::Lookup Allowed) {
  bool IsCpu = Processor == CpuProcessor;
  jit::Source Source{makeOneText(Emitted, !IsCpu),
                     Emitted.Symbol,
                     {},
                     Emitted.Symbol + (IsCpu ? ".cpp" : ".hip")};
  jit::Options With = Options;
  With.flags.push_back("-fno-math-errno");
  if (!IsCpu)
    With.target = Processor;
  std::vector<std::string> Symbols;
  for (KernelStep Step : stepsOf(Emitted.Made))
    Symbols.push_back(Emitted.Symbol + std::string(suffixOf(Step)));
  Result<jit::Program> Compiled =
      IsCpu ? jit::compile_program<Function>(Source, Symbols, With, Allowed)
            : jit::compile_program(Source, Symbols, With, Allowed);
  if (!Compiled)
    return Compiled.status();
  return of(std::move(*Compiled), Sig, Algo, Processor, Emitted.Made);
}

Result<ConvKernel> ConvKernel::of(jit::Program Owner, const Signature &Sig,
                                  const Algorithm &Algo,
                                  const std::string &Processor) {
  Result<Lowered> L = lower(Sig, Algo, Processor);
  if (!L)
    return L.status();
  return of(std::move(Owner), Sig, Algo, Processor, *L);
}

Result<ConvKernel> ConvKernel::of(jit::Program Owner, const Signature &Sig,
                                  const Algorithm &Algo,
                                  const std::string &Processor,
                                  const Lowered &L) {
  ConvKernel Kernel(std::move(Owner));
  Kernel.Sig = Sig;
  Kernel.How = withoutHints(Algo);
  Kernel.Made = L;
  Kernel.Processor = Processor;
  std::string Name = getSymbol(Sig, Algo);
  for (KernelStep Step : stepsOf(L))
    if (Status S = Kernel.take(Step, Name + std::string(suffixOf(Step)));
        !S.ok())
      return S;
  if (Processor == CpuProcessor)
    return Kernel;
  Result<CodeFacts> Facts = codeFacts(Kernel.image(), Kernel.symbol());
  if (!Facts)
    return Facts.status();
  Kernel.Facts = *Facts;
  if (Status S = refusal(Kernel.checkCode()); !S.ok())
    return S;
  return Kernel;
}

Status ConvKernel::take(KernelStep Step, const std::string &Symbol) {
  Symbols[static_cast<int>(Step)] = Symbol;
  if (Processor == CpuProcessor) {
    Result<jit::Executor<Function>> Found =
        jit::executor<Function>(Owner, Symbol);
    if (Found)
      OnCpu[static_cast<int>(Step)] = Found->native_handle();
    return Found.status();
  }
  for (size_t I = 0; I < Owner.size(); ++I)
    if (Owner.symbol(I) == Symbol)
      return Status::success();
  return Status(StatusCode::InvalidFormat,
                Symbol + ": the code object has no such kernel; make the "
                         "archive again",
                Errc::LoadFailed);
}

void ConvKernel::runOnCpu(const KernelLaunch &Launch) const {
  for (const LaunchStep &Step : Launch.Steps)
    for (unsigned Z = 0; Z < Step.Grid[2]; ++Z)
      for (unsigned Y = 0; Y < Step.Grid[1]; ++Y)
        for (unsigned X = 0; X < Step.Grid[0]; ++X)
          OnCpu[static_cast<int>(Step.Which)](Launch.Arguments.data(), X, Y, Z);
}
