//===- Tiles.cpp - the integers of IMPLICIT_GEMM --------------------------===//
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
//===----------------------------------------------------------------------===//
#include "Tiles.h"

#include "kpack/ConvBuilder/kernels/instr.h"

using namespace kpack;
using namespace kpack::conv;

namespace {

namespace instruction = device::instruction;

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

constexpr MatrixInstruction Instructions[] = {
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

Status bad(const std::string &What) {
  return Status(StatusCode::InvalidArgument, "algorithm." + What);
}

const LoweredTensor *operandsOf(const Lowered &L,
                                const LoweredTensor *&Second) {
  bool IsForward = L.direction == static_cast<int>(ConvDirection::FORWARD);
  bool IsData = L.direction == static_cast<int>(ConvDirection::BACKWARD_DATA);
  Second = IsForward || IsData ? &L.weight : &L.input;
  return IsForward ? &L.input : &L.output;
}

/// The type that both operands are computed in. WMMA has bytes with and without
/// a sign, each for itself.
Result<DataType> typeOf(const Lowered &L, Isa In) {
  const LoweredTensor *Right = nullptr;
  auto First = static_cast<DataType>(operandsOf(L, Right)->compute);
  auto Second = static_cast<DataType>(Right->compute);
  bool IsWmma = In == Isa::WMMA;
  for (DataType *Each : {&First, &Second})
    if (IsWmma && *Each == DataType::U8)
      *Each = DataType::I8;
  if (First == Second)
    return First;
  return Status(StatusCode::NotImplemented,
                "algorithm.isa: " + std::string(nameOf(In)) +
                    " multiplies operands of one type, these are " +
                    std::string(nameOf(First)) + " and " +
                    std::string(nameOf(Second)) + "; VALU takes any");
}

Result<const MatrixInstruction *> instructionFor(const Lowered &L, Isa In,
                                                 const MNK &Shape,
                                                 std::string_view Processor) {
  Result<DataType> Type = typeOf(L, In);
  if (!Type)
    return Type.status();
  std::string There;
  for (const MatrixInstruction &I : Instructions) {
    if (I.In != In || I.Type != *Type || !Processor.starts_with(I.On))
      continue;
    if (I.M == Shape.m && I.N == Shape.n && I.K == Shape.k)
      return &I;
    There += (There.empty() ? "" : ", ") + std::to_string(I.M) + "x" +
             std::to_string(I.N) + "x" + std::to_string(I.K);
  }
  return Status(StatusCode::NotImplemented,
                "algorithm.wave.instr: " + std::string(Processor) + " has no " +
                    std::string(nameOf(In)) + " of " +
                    std::string(nameOf(*Type)) + " with " +
                    std::to_string(Shape.m) + "x" + std::to_string(Shape.n) +
                    "x" + std::to_string(Shape.k) +
                    (There.empty() ? "; take VALU" : "; it has " + There));
}

bool divides(int Part, int Whole) { return Part > 0 && Whole % Part == 0; }

Status lowerWaves(Lowered &L, const Algorithm &How,
                  std::string_view Processor) {
  if (!How.wave)
    return bad("wave: is missing; " + std::string(nameOf(How.isa)) +
               " needs to know its waves and instruction");
  Result<const MatrixInstruction *> Found =
      instructionFor(L, How.isa, How.wave->instr, Processor);
  if (!Found)
    return Found.status();
  const MatrixInstruction &I = **Found;
  const MNK &Waves = How.wave->waves;
  if (Waves.m < 1 || Waves.n < 1 || !divides(Waves.m * I.M, L.tile_m) ||
      !divides(Waves.n * I.N, L.tile_n) || !divides(I.K, L.tile_k) ||
      Waves.k > 1)
    return bad("wave: waves times instr do not divide the tile");
  int Pitch = (L.tile_k + L.lds_pad) * (I.Type == DataType::FP32 ? 4
                                        : I.Type == DataType::I8 ? 1
                                                                 : 2);
  int Bytes = I.PerLane * (I.Type == DataType::FP32 ? 4
                           : I.Type == DataType::I8 ? 1
                                                    : 2);
  if (Pitch % (Bytes < 16 ? Bytes : 16) != 0)
    return bad("a.lds_pad: a row of " + std::to_string(Pitch) +
               " bytes does not keep the alignment of " +
               std::to_string(Bytes < 16 ? Bytes : 16));
  L.instruction = I.Number;
  L.wave_m = Waves.m;
  L.wave_n = Waves.n;
  L.block_size = Waves.m * Waves.n * I.Lanes;
  return Status::success();
}

Status lowerThreads(Lowered &L, const Algorithm &How) {
  L.thread_m = How.thread ? How.thread->m1 : 0;
  L.thread_n = How.thread ? How.thread->n1 : 0;
  if (!divides(L.thread_m, L.tile_m) || !divides(L.thread_n, L.tile_n))
    return bad("thread: m1 and n1 do not divide the tile");
  L.block_size = L.tile_m / L.thread_m * (L.tile_n / L.thread_n);
  return Status::success();
}

} // namespace

long long conv::ldsBytes(const Lowered &L) {
  if (L.kind != static_cast<int>(Kind::IMPLICIT_GEMM))
    return 0;
  long long Element = 4;
  for (const MatrixInstruction &I : Instructions)
    if (I.Number == L.instruction)
      Element = I.Type == DataType::FP32 ? 4 : I.Type == DataType::I8 ? 1 : 2;
  long long Loads = Element * (L.tile_m + L.tile_n) * (L.tile_k + L.lds_pad);
  long long Sums = 4ll * L.tile_m * L.tile_n;
  return Loads > Sums ? Loads : Sums;
}

Status conv::lowerTiles(Lowered &L, const Algorithm &How,
                        std::string_view Processor) {
  if (!How.tile || How.tile->m < 1 || How.tile->n < 1 || How.tile->k < 1 ||
      How.tile->m > 1024 || How.tile->n > 1024 || How.tile->k > 1024)
    return bad("tile: is missing, or no size from 1 to 1024");
  auto Sum = static_cast<DataType>(L.accumulation);
  if (Sum != DataType::FP32 && Sum != DataType::I32)
    return Status(StatusCode::NotImplemented,
                  "signature.accumulation_data_type: IMPLICIT_GEMM adds in "
                  "FP32 and I32, not in " +
                      std::string(nameOf(Sum)) + "; DIRECT does");
  L.tile_m = How.tile->m, L.tile_n = How.tile->n, L.tile_k = How.tile->k;
  L.lds_pad = How.a ? How.a->lds_pad : 0;
  bool IsMatrix = How.isa == Isa::MFMA || How.isa == Isa::WMMA;
  if (!IsMatrix && How.isa != Isa::VALU)
    return Status(StatusCode::NotImplemented,
                  "algorithm.isa: " + std::string(nameOf(How.isa)) +
                      " has no kernel; VALU, MFMA and WMMA have");
  if (Status S =
          IsMatrix ? lowerWaves(L, How, Processor) : lowerThreads(L, How);
      !S.ok())
    return S;
  if (How.block_size && How.block_size != L.block_size)
    return bad("block_size: the tile makes it " + std::to_string(L.block_size));
  if (L.block_size > 1024 || !divides(L.tile_k, L.block_size) ||
      !divides(L.block_size, L.tile_m * L.tile_k) ||
      !divides(L.block_size, L.tile_n * L.tile_k))
    return bad("tile: " + std::to_string(L.block_size) +
               " threads cannot load it in equal parts: a multiple of tile.k, "
               "and parts of m times k and of n times k are needed");
  L.load_m = L.tile_m * L.tile_k / L.block_size;
  L.load_n = L.tile_n * L.tile_k / L.block_size;
  if (ldsBytes(L) > 65536)
    return bad("tile: needs " + std::to_string(ldsBytes(L)) +
               " bytes of LDS, 65536 are there");
  return Status::success();
}
