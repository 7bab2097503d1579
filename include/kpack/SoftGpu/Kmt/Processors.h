//===- SoftGpu/Kmt/Processors.h - GPUs that ROCr can be shown ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The architectures that both the ROCm 5.2 runtime and the interpreter know.
// Shared by kpack-run, which refuses others at once, and libsoftgpu_kmt.so. For
// newer architectures there is softgpu-run.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KMT_PROCESSORS_H
#define KPACK_SOFTGPU_KMT_PROCESSORS_H

#include <cstdint>
#include <string_view>

namespace kpack::softgpu {

struct KmtProcessor {
  std::string_view Name;
  uint8_t Major, Minor, Stepping; ///< of the graphics engine
  uint16_t DeviceId;              ///< PCI, of one board with this processor
  bool SramEcc = false;           ///< boards have it switched on

  bool isGfx9() const { return Major == 9; }
};

/// In the order of their names. Source: ISA registry of ROCr 5.2.3 (isa.cpp).
inline constexpr KmtProcessor KmtProcessors[] = {
    {"gfx900", 9, 0, 0, 0x6863},        {"gfx902", 9, 0, 2, 0x15dd},
    {"gfx904", 9, 0, 4, 0x69a0},        {"gfx906", 9, 0, 6, 0x66a1},
    {"gfx908", 9, 0, 8, 0x738c, true},  {"gfx909", 9, 0, 9, 0x15d8},
    {"gfx90a", 9, 0, 10, 0x7408, true}, {"gfx90c", 9, 0, 12, 0x1636},
    {"gfx1010", 10, 1, 0, 0x7310},      {"gfx1011", 10, 1, 1, 0x7360},
    {"gfx1012", 10, 1, 2, 0x7340},      {"gfx1013", 10, 1, 3, 0x13fe},
    {"gfx1030", 10, 3, 0, 0x73bf},      {"gfx1031", 10, 3, 1, 0x73df},
    {"gfx1032", 10, 3, 2, 0x73ff},      {"gfx1033", 10, 3, 3, 0x163f},
    {"gfx1034", 10, 3, 4, 0x743f},      {"gfx1035", 10, 3, 5, 0x1681},
};

/// Null: not one of them.
inline const KmtProcessor *findKmtProcessor(std::string_view Name) {
  for (const KmtProcessor &P : KmtProcessors)
    if (P.Name == Name)
      return &P;
  return nullptr;
}

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KMT_PROCESSORS_H
