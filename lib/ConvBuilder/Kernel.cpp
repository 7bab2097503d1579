//===- Kernel.cpp - a compiled kernel -------------------------------------===//
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

Algorithm conv::openForCpu(Algorithm How) {
  if (How.isa == Isa::AUTO)
    How.isa = Isa::VALU;
  if (How.kind == Kind::AUTO && How.isa == Isa::VALU && !How.tile &&
      !How.thread)
    How.kind = Kind::DIRECT;
  return How;
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
                                       const Algorithm &How,
                                       const std::string &Processor,
                                       const jit::Options &Options,
                                       jit::Lookup Allowed) {
  Result<KernelSource> From = emit(Sig, How, Processor);
  if (!From)
    return From.status();
  return compile(std::move(*From), Sig, How, Processor, Options, Allowed);
}

Result<ConvKernel> ConvKernel::compile(KernelSource From, const Signature &Sig,
                                       const Algorithm &How,
                                       const std::string &Processor,
                                       const jit::Options &Options,
                                       jit::Lookup Allowed) {
  bool IsCpu = Processor == CpuProcessor;
  jit::Source Source{oneTextOf(From, !IsCpu),
                     From.Symbol,
                     {},
                     From.Symbol + (IsCpu ? ".cpp" : ".hip")};
  jit::Options With = Options;
  With.flags.push_back("-fno-math-errno");
  if (!IsCpu)
    With.target = Processor;
  std::vector<std::string> Symbols;
  for (KernelStep Step : stepsOf(From.Made))
    Symbols.push_back(From.Symbol + std::string(suffixOf(Step)));
  Result<jit::Program> Compiled =
      IsCpu ? jit::compile_program<Function>(Source, Symbols, With, Allowed)
            : jit::compile_program(Source, Symbols, With, Allowed);
  if (!Compiled)
    return Compiled.status();
  return of(std::move(*Compiled), Sig, How, Processor, From.Made);
}

Result<ConvKernel> ConvKernel::of(jit::Program Owner, const Signature &Sig,
                                  const Algorithm &How,
                                  const std::string &Processor) {
  Result<Lowered> L = lower(Sig, How, Processor);
  if (!L)
    return L.status();
  return of(std::move(Owner), Sig, How, Processor, *L);
}

Result<ConvKernel> ConvKernel::of(jit::Program Owner, const Signature &Sig,
                                  const Algorithm &How,
                                  const std::string &Processor,
                                  const Lowered &L) {
  ConvKernel Made(std::move(Owner));
  Made.Sig = Sig;
  Made.How = withoutHints(How);
  Made.Made = L;
  Made.Processor = Processor;
  std::string Name = symbolOf(Sig, How);
  for (KernelStep Step : stepsOf(L))
    if (Status S = Made.take(Step, Name + std::string(suffixOf(Step))); !S.ok())
      return S;
  if (Processor == CpuProcessor)
    return Made;
  Result<CodeFacts> Facts = codeFacts(Made.image(), Made.symbol());
  if (!Facts)
    return Facts.status();
  Made.Facts = *Facts;
  if (Status S = refusal(Made.checkCode()); !S.ok())
    return S;
  return Made;
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
