//===- Kfd/Processors.h - processors that can be emulated -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processors that the interpreter and some version of ROCm support; an
// installed ROCm may support fewer. Shared by the emulated driver and
// kpack-run, which refuses others at once.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KFD_PROCESSORS_H
#define KPACK_SOFTGPU_KFD_PROCESSORS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kpack::softgpu {

struct GpuProcessor {
  std::string_view Name;
  uint8_t Major, Minor, Stepping; ///< version of the graphics engine
  uint16_t DeviceId;              ///< PCI id of one board with this processor
  /// The driver's board family (AMDGPU_FAMILY_* of the kernel).
  uint8_t Family;
  bool SramEcc = false; ///< enabled on the boards

  bool isGfx9() const { return Major == 9; }
};

/// Sorted by version. Sources: ISA registry of ROCr (isa.cpp), the boards of
/// its thunk (topology.c), amdgpu_drm.h of Linux.
inline constexpr GpuProcessor GpuProcessors[] = {
    {"gfx900", 9, 0, 0, 0x6863, 141},        {"gfx902", 9, 0, 2, 0x15dd, 142},
    {"gfx904", 9, 0, 4, 0x69a0, 141},        {"gfx906", 9, 0, 6, 0x66a1, 141},
    {"gfx908", 9, 0, 8, 0x738c, 141, true},  {"gfx909", 9, 0, 9, 0x15d8, 142},
    {"gfx90a", 9, 0, 10, 0x7408, 141, true}, {"gfx90c", 9, 0, 12, 0x1636, 142},
    {"gfx942", 9, 4, 2, 0x74a1, 141, true},  {"gfx1010", 10, 1, 0, 0x7310, 143},
    {"gfx1011", 10, 1, 1, 0x7360, 143},      {"gfx1012", 10, 1, 2, 0x7340, 143},
    {"gfx1013", 10, 1, 3, 0x13fe, 143},      {"gfx1030", 10, 3, 0, 0x73bf, 143},
    {"gfx1031", 10, 3, 1, 0x73df, 143},      {"gfx1032", 10, 3, 2, 0x73ff, 143},
    {"gfx1033", 10, 3, 3, 0x163f, 144},      {"gfx1034", 10, 3, 4, 0x743f, 143},
    {"gfx1035", 10, 3, 5, 0x1681, 146},      {"gfx1036", 10, 3, 6, 0x164e, 149},
    {"gfx1100", 11, 0, 0, 0x744c, 145},      {"gfx1101", 11, 0, 1, 0x7470, 145},
    {"gfx1102", 11, 0, 2, 0x7480, 145},      {"gfx1103", 11, 0, 3, 0x15bf, 148},
    {"gfx1150", 11, 5, 0, 0x150e, 150},      {"gfx1151", 11, 5, 1, 0x1586, 150},
    {"gfx1200", 12, 0, 0, 0x7590, 152},      {"gfx1201", 12, 0, 1, 0x7550, 152},
};

/// Used if the user names no processor.
inline constexpr const char *DefaultGpu = "gfx90a";

/// Returns null if there is no such processor.
inline const GpuProcessor *findProcessor(std::string_view Name) {
  for (const GpuProcessor &P : GpuProcessors)
    if (P.Name == Name)
      return &P;
  return nullptr;
}

/// Parses a list such as "gfx90a,gfx1030". Errors name \p Object. Fails on an
/// unknown name, or on more than 16.
llvm::Expected<std::vector<const GpuProcessor *>>
readProcessors(llvm::StringRef Object, llvm::StringRef List);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_PROCESSORS_H
