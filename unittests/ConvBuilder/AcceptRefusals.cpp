//===- AcceptRefusals.cpp - acceptance: refused algorithms fail -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An algorithm that runs gets another value in one field, so that one of the
// requirements below refuses it, and none besides. Tried nevertheless, past the
// checks of lower(), too, it must come to grief: GPUs have no such instruction
// or access to memory, it does not compile, it needs more than there is (R2,
// R3, R6), it does not run, or what it computes is wrong. A requirement that
// refuses what would run takes algorithms away from users.
//
//===----------------------------------------------------------------------===//
#include "Accept.h"
#include "Corruption.h"
#include "DeviceRun.h"

#include "ConvBuilder/Emit.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <algorithm>
#include <map>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// Others are about what is said, not about what can run: parts that nobody
/// uses, orders, promises.
constexpr std::string_view Tried[] = {"A3", "A4",  "A5",  "A7",  "A8",
                                      "A9", "A13", "A14", "A15", "A19"};

constexpr const char *Gpus[] = {"gfx90a", "gfx942", "gfx1030", "gfx1100",
                                "gfx1201"};

bool isTriedAlone(const Report &R) {
  for (unsigned I = 0; I < R.size(); ++I)
    if (std::find(std::begin(Tried), std::end(Tried), R[I].Id) ==
        std::end(Tried))
      return false;
  return !R.ok() && R.total() <= R.size();
}

/// Larger than any tile, which the result does not fill; vectors of any length
/// divide its channels.
ConvCase smallCase(RandomAlgorithm &Random) {
  constexpr DataType Types[] = {DataType::FP32, DataType::FP16, DataType::BF16,
                                DataType::I8};
  ConvCase Case;
  Case.Sig.spatial_dim = 2;
  Case.Sig.data_type = Types[Random.below(4)];
  if (isInteger(Case.Sig.data_type))
    Case.Sig.output.config.data_type = DataType::I32;
  else
    Case.Sig.direction = static_cast<ConvDirection>(Random.below(3));
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  Case.P = {.batch = 2,
            .c = 160,
            .k = 160,
            .image = {12, 12},
            .filter = {3, 3},
            .stride = {1, 1},
            .pad = {{1, 1}, {1, 1}}};
  return Case;
}

/// The numbers of an operand in the integers of a kernel.
void force(LoweredOperand &Target, const Operand &Way, const Lowered &L,
           int Lines) {
  Target.vector = Way.load_vector;
  Target.lds_vector = Way.lds_vector;
  while (Way.k_pack % Target.lds_vector)
    Target.lds_vector /= 2;
  Target.lds_pad = Way.lds_pad;
  Target.loads =
      (Lines * L.tile_k / Target.vector + L.block_size - 1) / L.block_size;
}

/// What lower() would make of \p Algo if it checked nothing. \p L: of an
/// algorithm that it takes, and that has the same instruction.
Lowered forced(Lowered L, const Algorithm &Algo) {
  L.tile_m = Algo.tile->m, L.tile_n = Algo.tile->n, L.tile_k = Algo.tile->k;
  if (Algo.wave) {
    int Lanes = L.block_size / (L.wave_m * L.wave_n);
    L.wave_m = Algo.wave->waves.m, L.wave_n = Algo.wave->waves.n;
    L.block_size = L.wave_m * L.wave_n * Lanes;
    L.shuffle_m = std::max(Algo.c->shuffle.m, 1);
    L.shuffle_n = std::max(Algo.c->shuffle.n, 1);
  } else {
    const ThreadTile &T = *Algo.thread;
    L.thread_m = T.m1, L.thread_n = T.n1, L.thread_k = T.k_per_thread;
    L.threads_m = T.m1_xs[0] * T.m1_xs[1];
    L.threads_n = T.n1_xs[0] * T.n1_xs[1];
    L.block_size = L.threads_m * L.threads_n;
  }
  force(L.a, *Algo.a, L, L.tile_m);
  force(L.b, *Algo.b, L, L.tile_n);
  L.store_vector = Algo.c->store_vector;
  L.through_lds = isThroughLds(*Algo.c);
  L.prefetch = Algo.pipeline->version != PipelineVersion::V1;
  L.buffers = buffersOf(*Algo.pipeline);
  return L;
}

/// Whether a GPU has accesses of as many bytes as an algorithm says, from where
/// it says.
bool hasAccesses(const Signature &Sig, const Algorithm &Algo) {
  auto Is = [](int Elements, DataType Type) {
    return checks::isWidth(1ll * Elements * bytesOf(Type));
  };
  auto AreOf = [&](const Operand &Way, Role TensorRole) {
    const TensorConfig &Config = tensorOf(Sig, TensorRole).config;
    return Is(Way.load_vector, Config.data_type) &&
           Is(Way.lds_vector, Config.compute_type) &&
           (Algo.tile->k + Way.lds_pad) % Way.lds_vector == 0;
  };
  return AreOf(*Algo.a, roleOfA(Sig.direction)) &&
         AreOf(*Algo.b, roleOfB(Sig.direction)) &&
         Is(Algo.c->store_vector,
            tensorOf(Sig, roleOfResult(Sig.direction)).config.data_type);
}

/// How an algorithm came to grief; empty: it has not. \p Base runs.
std::string findProblem(Backend &On, ConvCase &Case, const Algorithm &Base,
                        const Algorithm &Algo) {
  if (Algo.isa != Base.isa ||
      (Algo.wave && Algo.wave->instr != Base.wave->instr))
    return "has no instruction";
  if (!hasAccesses(Case.Sig, Algo))
    return "has no access";
  // Where nothing is wrong, nothing is forced: or failures would say nothing.
  Result<Lowered> Fine = lower(Case.Sig, Base, On.processor());
  if (!Fine || forced(*Fine, Base) != *Fine)
    return "";
  Result<ConvKernel> Kernel = ConvKernel::compile(
      emit(Case.Sig, Algo, On.processor(), forced(*Fine, Algo)), Case.Sig, Algo,
      On.processor(), testOptions());
  if (!Kernel)
    return "does not compile";
  // R1 is about the model, not about this algorithm.
  Report Found = Kernel->checkCode();
  for (unsigned I = 0; I < Found.size(); ++I)
    if (Found[I].Id != "R1")
      return std::string(Found[I].Id);
  // WMMA of gfx11 does not give 0 for 1 - 1.
  if (!Case.fill(1, On.processor().starts_with("gfx11")
                        ? TestNumbers::Naturals
                        : TestNumbers::Integers))
    return "has no sizes";
  Result<TensorBytes> Result = runOn(On, *Kernel, Case);
  if (!Result)
    return "does not run";
  return Case.compare(Case.expected(), *Result).empty() ? "" : "is wrong";
}

} // namespace

bool conv::acceptRefusals(const AcceptRun &Run) {
  RandomAlgorithm Random(Run.Seed);
  std::map<std::string, std::unique_ptr<Backend>> Backends;
  std::map<std::string, std::map<std::string, unsigned>> Griefs;
  unsigned Failed = 0;
  for (unsigned Seen = 0; Seen < Run.Count;) {
    std::string Gpu = Gpus[Random.below(std::size(Gpus))];
    ConvCase Case = smallCase(Random);
    Algorithm Given = Random.partial();
    Given.kind = Kind::IMPLICIT_GEMM;
    Resolved Base = resolve(Case.Sig, Given, Target(Gpu));
    if (!Base.ok())
      continue;
    Algorithm Spoilt = Base.Algo;
    Corruption C(Random, static_cast<int>(Random.below(90)));
    C.visit(Spoilt, "algorithm");
    Report Why = validate(Base.Sig, Spoilt, Target(Gpu));
    if (!isTriedAlone(Why))
      continue;
    ++Seen;
    std::unique_ptr<Backend> &On = Backends[Gpu];
    if (!On) {
      Result<std::unique_ptr<Backend>> Created = makeBackend(Gpu);
      if (!Created)
        return false;
      On = std::move(*Created);
    }
    std::string Grief = findProblem(*On, Case, Base.Algo, Spoilt);
    Failed += !Grief.empty();
    ++Griefs[std::string(Why[0].Id)][Grief.empty() ? "RUNS" : Grief];
    if (Grief.empty())
      std::printf("  runs on %s: %s: %s\n", Gpu.c_str(), C.Changed.c_str(),
                  std::string(Why.textOf(0)).c_str());
  }
  for (const auto &[Id, Counts] : Griefs) {
    std::printf("%s:", Id.c_str());
    for (const auto &[Grief, Count] : Counts)
      std::printf(" %u %s;", Count, Grief.c_str());
    std::printf("\n");
  }
  printShare("row 16, fail", Failed, Run.Count);
  return Failed * 100 >= Run.Count * 95;
}
