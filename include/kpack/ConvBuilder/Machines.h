//===- kpack/ConvBuilder/Machines.h - peak speeds of GPUs -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Peak numbers of one product with each processor, for estimates (CostModel.h).
// The sources are AMD's data sheets (compute units, clock and bandwidth) and
// architecture papers (operations a clock). Other products with the same
// processor are faster or slower, which hardly changes the order of candidates.
//
// A unit runs work-groups: it is a compute unit, or the two of a work-group
// processor of RDNA. Sibling: Capabilities.h, facts from compilers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_MACHINES_H
#define KPACK_CONVBUILDER_MACHINES_H

#include "kpack/ConvBuilder/Enums.h"

namespace kpack::conv {

struct Machine {
  std::string_view Processor;
  std::string_view Product;
  int Units;
  int MegaHertz; ///< the peak clock
  int GigaBytes; ///< memory bandwidth, 10^9 bytes a second
  int LdsBytes;  ///< of a unit
  int Lanes;     ///< for which a unit starts a vector instruction in a clock
  /// Operations of matrix instructions in a clock of a unit; a multiply-add
  /// counts as two. 0: no such instructions.
  int MatrixFp32;
  int MatrixFp16;
  int MatrixBf16;
  int Matrix8Bit; ///< I8 and FP8
  int MatrixFp64;
  std::string_view Source; ///< the documents
  std::string_view Date;   ///< of the newest document, year and month

  /// Returns the operations of matrix instructions on this type in a clock of a
  /// unit.
  constexpr int matrixRate(DataType Type) const {
    switch (Type) {
    case DataType::FP64:
      return MatrixFp64;
    case DataType::FP32:
      return MatrixFp32;
    case DataType::FP16:
      return MatrixFp16;
    case DataType::BF16:
      return MatrixBf16;
    default:
      return Matrix8Bit;
    }
  }
};

inline constexpr Machine Machines[] = {
    {"gfx906", "Radeon Instinct MI50", 60, 1725, 1024, 65536, 64, 0, 0, 0, 0, 0,
     "MI50 data sheet; Vega 7nm ISA", "2020-01"},
    {"gfx908", "Instinct MI100", 120, 1502, 1228, 65536, 64, 256, 1024, 512,
     1024, 0, "MI100 data sheet; CDNA white paper", "2020-11"},
    {"gfx90a", "Instinct MI210", 104, 1700, 1638, 65536, 64, 256, 1024, 1024,
     1024, 256, "MI210 data sheet; CDNA 2 white paper", "2022-03"},
    {"gfx942", "Instinct MI300X", 304, 2100, 5325, 65536, 64, 256, 2048, 2048,
     4096, 256, "MI300X data sheet; CDNA 3 white paper", "2023-12"},
    {"gfx950", "Instinct MI355X", 256, 2400, 8000, 163840, 64, 256, 4096, 4096,
     8192, 128, "MI355X data sheet; CDNA 4 white paper", "2025-06"},
    {"gfx1030", "Radeon RX 6900 XT", 40, 2250, 512, 131072, 128, 0, 0, 0, 0, 0,
     "RX 6900 XT product page; RDNA 2 ISA", "2020-12"},
    {"gfx1100", "Radeon RX 7900 XTX", 48, 2500, 960, 131072, 128, 0, 1024, 1024,
     1024, 0, "RX 7900 XTX product page; GPUOpen, WMMA on RDNA 3", "2023-01"},
    {"gfx1201", "Radeon RX 9070 XT", 32, 2970, 640, 131072, 128, 0, 2048, 2048,
     4096, 0,
     "RX 9070 XT product page; GPUOpen, Using the Matrix Cores of RDNA 4",
     "2025-03"},
};

/// Returns null if the table lacks the processor.
constexpr const Machine *findMachine(std::string_view Processor) {
  std::string_view Name = Processor.substr(0, Processor.find(':'));
  for (const Machine &M : Machines)
    if (M.Processor == Name)
      return &M;
  return nullptr;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_MACHINES_H
