//===- KernelPrograms.cpp - compiled kernels of a plan --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "KernelPrograms.h"

#include "kpack/Jit/Executor.h"

#include <algorithm>
#include <iterator>

using namespace kpack;
using namespace kpack::jit;

Status jit::compileFailure(kpack_jit_status Code) {
  return executors::detail::failure(Code);
}

/// True if \p Flag sets or removes a macro. The graph's own text has no macros
/// that a user could know.
static bool isOfMacros(const std::string &Flag) {
  return Flag.compare(0, 2, "-D") == 0 || Flag.compare(0, 2, "-U") == 0;
}

static std::vector<std::string> flagsOf(const PrepareConfig &Config,
                                        MathMode Math, bool IsOwn) {
  // Products and sums are fused in all modes, so that a kernel gives the same
  // numbers wherever the compiler puts it.
  std::vector<std::string> Flags = {"-O3", "-fno-math-errno",
                                    "-fno-trapping-math", "-ffp-contract=fast",
                                    "-fwrapv"};
  if (Math != MathMode::Strict)
    Flags.insert(Flags.end(), {"-fassociative-math", "-fno-signed-zeros",
                               "-freciprocal-math"});
  if (Math == MathMode::Fast)
    Flags.push_back("-ffast-math");
  std::copy_if(
      Config.flags.begin(), Config.flags.end(), std::back_inserter(Flags),
      [&](const std::string &Flag) { return !IsOwn || !isOfMacros(Flag); });
  return Flags;
}

/// Returns the kernels of one text; \p Unit 0 is the plan's own.
static std::vector<size_t> getKernels(const GraphPlan &Plan, size_t Unit) {
  std::vector<size_t> Found;
  for (size_t K = 0; K < Plan.Kernels.size(); ++K)
    if (Plan.Kernels[K].Unit == Unit)
      Found.push_back(K);
  return Found;
}

static Result<kpack_jit_program *>
compileUnit(const GraphPlan &Plan, size_t Unit, std::span<const size_t> Kernels,
            const PrepareConfig &Config, const char *Type,
            CompiledKernel &Kernel) {
  kpack_jit_cache *Cache = Config.cache;
  if (!Cache)
    if (kpack_jit_status Code = kpack_jit_process_cache(&Cache))
      return compileFailure(Code);
  std::vector<kpack_jit_entry_point> Entries;
  for (size_t K : Kernels)
    Entries.push_back({Plan.Kernels[K].Name.c_str(), Type});
  std::vector<std::string> Flags =
      flagsOf(Config, Unit ? MathMode::Strict : Config.math, Unit == 0);
  std::vector<const char *> FlagList;
  for (const std::string &Flag : Flags)
    FlagList.push_back(Flag.c_str());
  FlagList.push_back(nullptr);

  kpack_jit_program_source Source{};
  Source.size = sizeof(Source);
  bool IsCpu = Plan.Target == GraphTarget::Cpu;
  Source.kind = IsCpu ? KPACK_JIT_HOST : KPACK_JIT_KERNEL;
  Source.name = IsCpu ? "graph.cpp" : "graph.hip";
  Source.text = Plan.Source.c_str();
  std::vector<kpack_jit_header> Headers;
  if (Unit) {
    const GraphUnit &Custom = Plan.Units[Unit - 1];
    Source.name = Custom.Name.c_str();
    Source.text = Custom.Text.c_str();
    for (const auto &[Name, Text] : Custom.Headers)
      Headers.push_back({Name.c_str(), Text.c_str()});
    Source.headers = Headers.data();
    Source.header_count = Headers.size();
  }
  Source.entries = Entries.data();
  Source.entry_count = Entries.size();
  Source.target = Config.target.empty() ? nullptr : Config.target.c_str();
  Source.flags = FlagList.data();
  kpack_jit_program *Program;
  bool IsThere = kpack_jit_compile(Cache, &Source, KPACK_JIT_ONLY_LOADED,
                                   &Program) == KPACK_JIT_SUCCESS;
  if (!IsThere)
    if (kpack_jit_status Code = kpack_jit_compile(Cache, &Source, 0, &Program))
      return compileFailure(Code);
  kpack_jit_program_info Info{};
  Info.size = sizeof(Info);
  if (kpack_jit_program_get_info(Program, &Info) == 0)
    Kernel.Key = Info.key;
  Kernel.Origin = IsThere             ? KernelOrigin::Memory
                  : Info.was_compiled ? KernelOrigin::Compiled
                                      : KernelOrigin::File;
  return Program;
}

/// Names the user's kernels that \p S is about, or all of them if it names
/// none, and the locations of their calls.
static Status named(const GraphPlan &Plan, std::span<const size_t> Kernels,
                    const Status &S) {
  std::string Said, All;
  for (size_t K : Kernels) {
    const GraphKernel &Kernel = Plan.Kernels[K];
    std::string Where = Kernel.Operations;
    if (Kernel.Where.Line)
      Where += " (" + std::string(Kernel.Where.File) + ":" +
               std::to_string(Kernel.Where.Line) + ")";
    All += (All.empty() ? "" : ", ") + Where;
    if (S.message().find(Kernel.Operations) != std::string::npos)
      Said += (Said.empty() ? "" : ", ") + Where;
  }
  return Status(S.code(), (Said.empty() ? All : Said) + ": " + S.message(),
                S.detail());
}

Result<KernelPrograms> KernelPrograms::compile(const GraphPlan &Plan,
                                               const PrepareConfig &Config,
                                               const char *Type) {
  KernelPrograms Compiled;
  Compiled.Places.resize(Plan.Kernels.size());
  Compiled.Kernels.resize(Plan.Kernels.size());
  for (size_t Unit = 0; Unit <= Plan.Units.size(); ++Unit) {
    std::vector<size_t> Kernels = getKernels(Plan, Unit);
    if (Kernels.empty())
      continue;
    CompiledKernel Found;
    Result<kpack_jit_program *> Program =
        compileUnit(Plan, Unit, Kernels, Config, Type, Found);
    if (!Program)
      return Unit ? named(Plan, Kernels, Program.status()) : Program.status();
    Compiled.Programs.emplace_back(*Program);
    for (size_t I = 0; I < Kernels.size(); ++I) {
      Compiled.Places[Kernels[I]] = {*Program, I};
      Compiled.Kernels[Kernels[I]] = Found;
    }
  }
  return Compiled;
}
