//===- Target.cpp - facts on one architecture -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processor names, as in LLVM's AMDGPUUsage ("Processors"), to families that
// share semantics. What is not listed is refused: its code might mean something
// else.
//
//===----------------------------------------------------------------------===//
#include "Target.h"
#include "llvm/ADT/StringSwitch.h"
#include <optional>

using namespace llvm;

namespace kpack::softgpu {

static std::optional<Family> familyOf(StringRef Processor) {
  using Result = std::optional<Family>;
  return StringSwitch<Result>(Processor)
      .Cases({"gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909",
              "gfx90c", "gfx9-generic"},
             Family::Gfx9)
      .Case("gfx90a", Family::Gfx90a)
      .Cases({"gfx940", "gfx941", "gfx942", "gfx950", "gfx9-4-generic"},
             Family::Gfx940)
      .Cases({"gfx1010", "gfx1011", "gfx1012", "gfx1013", "gfx1030", "gfx1031",
              "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036",
              "gfx10-1-generic", "gfx10-3-generic"},
             Family::Gfx10)
      .Cases({"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151",
              "gfx1152", "gfx1153", "gfx11-generic"},
             Family::Gfx11)
      .Cases({"gfx1200", "gfx1201", "gfx12-generic"}, Family::Gfx12)
      .Default(std::nullopt);
}

Expected<Target> Target::get(StringRef Processor) {
  // "gfx90a:sramecc+:xnack-": the features do not change what code means.
  StringRef Name = Processor.split(':').first;
  std::optional<Family> Isa = familyOf(Name);
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
