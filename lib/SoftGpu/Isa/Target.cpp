//===- Target.cpp - properties of GPU architectures -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps processor names, as in LLVM's AMDGPUUsage ("Processors"), to families
// that share semantics. Other processors are refused: their code might have
// another meaning.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Isa/Target.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

using namespace llvm;

namespace kpack::softgpu {

namespace {
struct Processor {
  StringLiteral Name;
  Family Isa;
};
} // namespace

static constexpr Processor Processors[] = {
    {"gfx900", Family::Gfx9},           {"gfx902", Family::Gfx9},
    {"gfx904", Family::Gfx9},           {"gfx906", Family::Gfx9},
    {"gfx908", Family::Gfx9},           {"gfx909", Family::Gfx9},
    {"gfx90c", Family::Gfx9},           {"gfx9-generic", Family::Gfx9},
    {"gfx90a", Family::Gfx90a},         {"gfx940", Family::Gfx940},
    {"gfx941", Family::Gfx940},         {"gfx942", Family::Gfx940},
    {"gfx9-4-generic", Family::Gfx940}, {"gfx1010", Family::Gfx10},
    {"gfx1011", Family::Gfx10},         {"gfx1012", Family::Gfx10},
    {"gfx1013", Family::Gfx10},         {"gfx1030", Family::Gfx10},
    {"gfx1031", Family::Gfx10},         {"gfx1032", Family::Gfx10},
    {"gfx1033", Family::Gfx10},         {"gfx1034", Family::Gfx10},
    {"gfx1035", Family::Gfx10},         {"gfx1036", Family::Gfx10},
    {"gfx10-1-generic", Family::Gfx10}, {"gfx10-3-generic", Family::Gfx10},
    {"gfx1100", Family::Gfx11},         {"gfx1101", Family::Gfx11},
    {"gfx1102", Family::Gfx11},         {"gfx1103", Family::Gfx11},
    {"gfx1150", Family::Gfx11},         {"gfx1151", Family::Gfx11},
    {"gfx1152", Family::Gfx11},         {"gfx1153", Family::Gfx11},
    {"gfx11-generic", Family::Gfx11},   {"gfx1200", Family::Gfx12},
    {"gfx1201", Family::Gfx12},         {"gfx12-generic", Family::Gfx12}};

static std::optional<Family> parseFamily(StringRef Name) {
  const Processor *Found = llvm::find_if(
      Processors, [&](const Processor &P) { return P.Name == Name; });
  if (Found == std::end(Processors))
    return std::nullopt;
  return Found->Isa;
}

Expected<Target> Target::get(StringRef Processor) {
  // "gfx90a:sramecc+:xnack-": features do not change the meaning of code.
  StringRef Name = Processor.split(':').first;
  std::optional<Family> Isa = parseFamily(Name);
  // Much of its code would run like gfx942's, up to the first instruction that
  // gfx942 does not have.
  if (Name == "gfx950")
    return createStringError(
        "processor 'gfx950': not emulated: its 160 KiB of LDS and some 210 "
        "instructions (scaled MFMA, conversions to 4, 6 and 8 bits, loads "
        "that transpose) have no semantics here; compile for gfx942 or "
        "gfx9-4-generic");
  if (!Isa)
    return createStringError("processor '" + Processor +
                             "': no semantics; emulated are gfx9 to gfx942, "
                             "gfx10, gfx11 and gfx12");
  Target Result;
  Result.Processor = Name.str();
  Result.Isa = *Isa;
  return Result;
}

} // namespace kpack::softgpu
