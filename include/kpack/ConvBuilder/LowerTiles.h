//===- kpack/ConvBuilder/LowerTiles.h - of IMPLICIT_GEMM --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which instruction multiplies, and how threads share a tile. What kernels rely
// on is checked here, so that none is compiled which computes something else;
// the requirements (Requirements.h) say the same earlier and in more words.
//
// All of it runs while compiling, too: instances (Instance.h) are lowered
// there.
//
// Sibling: LowerAlgorithm.h, the rest of a kernel's integers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_LOWERTILES_H
#define KPACK_CONVBUILDER_LOWERTILES_H

#include "kpack/ConvBuilder/FixedText.h"
#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/kernels/instr.h"

namespace kpack::conv {

/// Why values have no kernel. Success: they have one.
struct LoweringError {
  StatusCode Code = StatusCode::Success;
  FixedText<320> Text;

  constexpr bool ok() const { return Code == StatusCode::Success; }
  constexpr std::string_view view() const { return Text.view(); }
};

namespace detail {

namespace instruction = device::instruction;

/// Writes the text of an error; is false, as what returns it.
class Refusal {
public:
  constexpr Refusal(LoweringError &To, StatusCode Code) : To(To) {
    To.Code = Code;
  }
  template <typename T> constexpr Refusal &operator<<(const T &Value) {
    To.Text << Value;
    return *this;
  }
  constexpr Refusal &operator<<(const char *Words) {
    To.Text << Words;
    return *this;
  }
  constexpr operator bool() const { return false; }

private:
  LoweringError &To;
};

/// What Lower needs of a matrix instruction.
struct MatrixInstruction {
  int Number;
  Isa In;
  DataType Type; ///< of elements; U8 is I8 where it has no form of its own
  int M, N, K;
  int PerLane;
  int Lanes;
  std::string_view On; ///< prefix of the processors that have it
};

inline constexpr MatrixInstruction MatrixInstructions[] = {
    {instruction::MFMA_F32_32, Isa::MFMA, DataType::FP32, 32, 32, 2, 1, 64,
     "gfx9"},
    {instruction::MFMA_F32_16, Isa::MFMA, DataType::FP32, 16, 16, 4, 1, 64,
     "gfx9"},
    {instruction::MFMA_F16_32, Isa::MFMA, DataType::FP16, 32, 32, 8, 4, 64,
     "gfx9"},
    {instruction::MFMA_F16_16, Isa::MFMA, DataType::FP16, 16, 16, 16, 4, 64,
     "gfx9"},
    {instruction::MFMA_BF16_32, Isa::MFMA, DataType::BF16, 32, 32, 8, 4, 64,
     "gfx9"},
    {instruction::MFMA_BF16_16, Isa::MFMA, DataType::BF16, 16, 16, 16, 4, 64,
     "gfx9"},
    {instruction::MFMA_I8_32, Isa::MFMA, DataType::I8, 32, 32, 8, 4, 64,
     "gfx90a"},
    {instruction::MFMA_I8_16, Isa::MFMA, DataType::I8, 16, 16, 16, 4, 64,
     "gfx90a"},
    {instruction::MFMA_WIDE_I8_32, Isa::MFMA, DataType::I8, 32, 32, 16, 8, 64,
     "gfx94"},
    {instruction::MFMA_WIDE_I8_16, Isa::MFMA, DataType::I8, 16, 16, 32, 8, 64,
     "gfx94"},
    {instruction::WMMA_F16, Isa::WMMA, DataType::FP16, 16, 16, 16, 16, 32,
     "gfx11"},
    {instruction::WMMA_BF16, Isa::WMMA, DataType::BF16, 16, 16, 16, 16, 32,
     "gfx11"},
    {instruction::WMMA_I8, Isa::WMMA, DataType::I8, 16, 16, 16, 16, 32,
     "gfx11"},
    {instruction::WMMA12_F16, Isa::WMMA, DataType::FP16, 16, 16, 16, 8, 32,
     "gfx12"},
    {instruction::WMMA12_BF16, Isa::WMMA, DataType::BF16, 16, 16, 16, 8, 32,
     "gfx12"},
    {instruction::WMMA12_I8, Isa::WMMA, DataType::I8, 16, 16, 16, 8, 32,
     "gfx12"},
};

constexpr const LoweredTensor &leftOf(const Lowered &L) {
  return L.direction == static_cast<int>(ConvDirection::FORWARD) ? L.input
                                                                 : L.output;
}
constexpr const LoweredTensor &rightOf(const Lowered &L) {
  return L.direction == static_cast<int>(ConvDirection::BACKWARD_WEIGHT)
             ? L.input
             : L.weight;
}

constexpr int bytesInLds(DataType Type) {
  return Type == DataType::FP32 ? 4 : Type == DataType::I8 ? 1 : 2;
}

constexpr bool divides(int Part, int Whole) {
  return Part > 0 && Whole % Part == 0;
}

/// Bytes of LDS that a work-group of \p L takes.
constexpr long long ldsBytesOf(const Lowered &L) {
  if (L.kind != static_cast<int>(Kind::IMPLICIT_GEMM))
    return 0;
  long long Element = 4;
  for (const MatrixInstruction &I : MatrixInstructions)
    if (I.Number == L.instruction)
      Element = bytesInLds(I.Type);
  long long Loads = Element * (L.tile_m + L.tile_n) * (L.tile_k + L.lds_pad);
  long long Sums = 4ll * L.tile_m * L.tile_n;
  return Loads > Sums ? Loads : Sums;
}

/// Adds tile, instruction and what follows from them to integers that have
/// their tensors already.
class TileLowering {
public:
  constexpr TileLowering(Lowered &L, const Algorithm &How,
                         std::string_view Processor, LoweringError &Error)
      : L(L), How(How), Processor(Processor), Error(Error) {}

  constexpr bool run() {
    if (!How.tile || How.tile->m < 1 || How.tile->n < 1 || How.tile->k < 1 ||
        How.tile->m > 1024 || How.tile->n > 1024 || How.tile->k > 1024)
      return bad() << "tile: is missing, or no size from 1 to 1024";
    auto Sum = static_cast<DataType>(L.accumulation);
    if (Sum != DataType::FP32 && Sum != DataType::I32)
      return Refusal(Error, StatusCode::NotImplemented)
             << "signature.accumulation_data_type: IMPLICIT_GEMM adds in FP32 "
                "and I32, not in "
             << nameOf(Sum) << "; DIRECT does";
    L.tile_m = How.tile->m, L.tile_n = How.tile->n, L.tile_k = How.tile->k;
    L.lds_pad = How.a ? How.a->lds_pad : 0;
    bool IsMatrix = How.isa == Isa::MFMA || How.isa == Isa::WMMA;
    if (!IsMatrix && How.isa != Isa::VALU)
      return missing() << "isa: " << nameOf(How.isa)
                       << " has no kernel; VALU, MFMA and WMMA have";
    return (IsMatrix ? lowerWaves() : lowerThreads()) && lowerLoads();
  }

private:
  constexpr Refusal bad() const {
    return Refusal(Error, StatusCode::InvalidArgument) << "algorithm.";
  }
  constexpr Refusal missing() const {
    return Refusal(Error, StatusCode::NotImplemented) << "algorithm.";
  }

  /// The type that both operands are computed in. WMMA has bytes with and
  /// without a sign, each for itself.
  constexpr bool findType(DataType &Type) const {
    Type = static_cast<DataType>(leftOf(L).compute);
    auto Second = static_cast<DataType>(rightOf(L).compute);
    if (How.isa == Isa::WMMA)
      for (DataType *Each : {&Type, &Second})
        if (*Each == DataType::U8)
          *Each = DataType::I8;
    if (Type == Second)
      return true;
    return missing() << "isa: " << nameOf(How.isa)
                     << " multiplies operands of one type, these are "
                     << nameOf(Type) << " and " << nameOf(Second)
                     << "; VALU takes any";
  }

  constexpr bool isOf(const MatrixInstruction &I, DataType Type) const {
    return I.In == How.isa && I.Type == Type && Processor.starts_with(I.On);
  }

  /// Null, and why, where there is none.
  constexpr const MatrixInstruction *findInstruction(const MNK &Shape) const {
    DataType Type = DataType::UNDEFINED_DATA_TYPE;
    if (!findType(Type))
      return nullptr;
    for (const MatrixInstruction &I : MatrixInstructions)
      if (isOf(I, Type) && I.M == Shape.m && I.N == Shape.n && I.K == Shape.k)
        return &I;
    missing() << "wave.instr: " << Processor << " has no " << nameOf(How.isa)
              << " of " << nameOf(Type) << " with " << Shape.m << "x" << Shape.n
              << "x" << Shape.k;
    bool HasAny = false;
    for (const MatrixInstruction &I : MatrixInstructions)
      if (isOf(I, Type)) {
        Error.Text << (HasAny ? ", " : "; it has ") << I.M << "x" << I.N << "x"
                   << I.K;
        HasAny = true;
      }
    if (!HasAny)
      Error.Text << "; take VALU";
    return nullptr;
  }

  constexpr bool lowerWaves() {
    if (!How.wave)
      return bad() << "wave: is missing; " << nameOf(How.isa)
                   << " needs to know its waves and instruction";
    const MatrixInstruction *Found = findInstruction(How.wave->instr);
    if (!Found)
      return false;
    const MatrixInstruction &I = *Found;
    const MNK &Waves = How.wave->waves;
    if (Waves.m < 1 || Waves.n < 1 || !divides(Waves.m * I.M, L.tile_m) ||
        !divides(Waves.n * I.N, L.tile_n) || !divides(I.K, L.tile_k) ||
        Waves.k > 1)
      return bad() << "wave: waves times instr do not divide the tile";
    int Pitch = (L.tile_k + L.lds_pad) * bytesInLds(I.Type);
    int Bytes = I.PerLane * bytesInLds(I.Type);
    if (Pitch % (Bytes < 16 ? Bytes : 16) != 0)
      return bad() << "a.lds_pad: a row of " << Pitch
                   << " bytes does not keep the alignment of "
                   << (Bytes < 16 ? Bytes : 16);
    L.instruction = I.Number;
    L.wave_m = Waves.m;
    L.wave_n = Waves.n;
    L.block_size = Waves.m * Waves.n * I.Lanes;
    return true;
  }

  constexpr bool lowerThreads() {
    L.thread_m = How.thread ? How.thread->m1 : 0;
    L.thread_n = How.thread ? How.thread->n1 : 0;
    if (!divides(L.thread_m, L.tile_m) || !divides(L.thread_n, L.tile_n))
      return bad() << "thread: m1 and n1 do not divide the tile";
    L.block_size = L.tile_m / L.thread_m * (L.tile_n / L.thread_n);
    return true;
  }

  constexpr bool lowerLoads() {
    if (How.block_size && How.block_size != L.block_size)
      return bad() << "block_size: the tile makes it " << L.block_size;
    if (L.block_size > 1024 || !divides(L.tile_k, L.block_size) ||
        !divides(L.block_size, L.tile_m * L.tile_k) ||
        !divides(L.block_size, L.tile_n * L.tile_k))
      return bad() << "tile: " << L.block_size
                   << " threads cannot load it in equal parts: a multiple of "
                      "tile.k, and parts of m times k and of n times k are "
                      "needed";
    L.load_m = L.tile_m * L.tile_k / L.block_size;
    L.load_n = L.tile_n * L.tile_k / L.block_size;
    if (ldsBytesOf(L) > 65536)
      return bad() << "tile: needs " << ldsBytesOf(L)
                   << " bytes of LDS, 65536 are there";
    return true;
  }

  Lowered &L;
  const Algorithm &How;
  std::string_view Processor;
  LoweringError &Error;
};

} // namespace detail

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_LOWERTILES_H
