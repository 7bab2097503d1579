//===- AcceptRefusals.cpp - what is refused, fails ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An algorithm that runs gets another value in one field, so that one of the
// requirements below refuses it, and none besides. Tried nevertheless, it must
// come to grief: no kernel can be made of it, it does not compile, it needs
// more than there is (R2, R3, R6), or what it computes is wrong. A
// requirement that refuses what would run takes algorithms away from users.
//
//===----------------------------------------------------------------------===//
#include "Accept.h"
#include "Corruption.h"
#include "DeviceRun.h"

#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

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

/// With tiles that the result does not fill.
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
  Case.P = {.groups = 2,
            .batch = 2,
            .c = 24,
            .k = 40,
            .image = {6, 6},
            .filter = {3, 3},
            .stride = {1, 1},
            .pad = {{1, 1}, {1, 1}}};
  return Case;
}

/// How an algorithm came to grief; empty: it has not.
std::string griefOf(Backend &On, ConvCase &Case, const Algorithm &How) {
  Result<Lowered> Made = lower(Case.Sig, How, On.processor());
  if (!Made)
    return "has no kernel";
  Result<ConvKernel> Kernel =
      ConvKernel::compile(Case.Sig, How, On.processor(), testOptions());
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
    if (!Base.ok() || !lower(Base.Sig, Base.Algo, Gpu).ok())
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
      Result<std::unique_ptr<Backend>> Made = makeBackend(Gpu);
      if (!Made)
        return false;
      On = std::move(*Made);
    }
    std::string Grief = griefOf(*On, Case, Spoilt);
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
