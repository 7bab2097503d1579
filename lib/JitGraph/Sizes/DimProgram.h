//===- Sizes/DimProgram.h - sizes as a stack machine program ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All sizes of a graph as one program for a stack machine. For new values of a
// call's variables, run() computes grids and extents without an allocation, a
// lock or an error. A quotient, remainder, minimum or maximum is computed once
// and kept for all sizes that contain it.
//
//   (t + 1) / 2  and  4*b*((t + 1) / 2):
//     t, + 1, >> 1, keep 0;  b, * 4, kept 0, *, keep 1
//
// Since only these nest, and are kept, four stack entries are enough.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_SIZES_DIMPROGRAM_H
#define KPACK_JITGRAPH_SIZES_DIMPROGRAM_H

#include "kpack/JitGraph/Dim.h"

namespace kpack::jit {

class DimProgram {
public:
  enum class Op : uint8_t {
    Push,     ///< the number
    Variable, ///< pushes variable Value
    Kept,     ///< pushes the value kept at Value
    Add,      ///< these take the top two ...
    Mul,
    FloorDiv,
    Mod,
    Min,
    Max,
    AddNumber, ///< ... and these the top and the number
    MulNumber,
    FloorDivNumber,
    ModNumber,
    ShiftRight, ///< floordiv by 2^Value
    AndNumber,  ///< mod by Value + 1
    Keep,       ///< pops into place Value
  };
  struct Instruction {
    Op Code;
    int64_t Value = 0;
  };

  /// Returns the program for \p Results, which are valid and of one context.
  static DimProgram of(std::span<const Dim> Results);

  /// Returns the number of values that run() writes: the results, in order,
  /// then other kept values.
  size_t places() const { return Places; }
  size_t results() const { return Results; }

  /// \p Variables has a value for each of DimContext::variables(), checked
  /// against its bounds. \p Kept has room for places() values.
  void run(const int64_t *Variables, int64_t *Kept) const;

  const std::vector<Instruction> &instructions() const { return Code; }

private:
  std::vector<Instruction> Code;
  size_t Places = 0;
  size_t Results = 0;
};

/// Returns the value of \p E: for tests and messages, not for replay.
int64_t valueOf(Dim E, std::span<const int64_t> Variables);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_SIZES_DIMPROGRAM_H
