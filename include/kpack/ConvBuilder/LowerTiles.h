//===- LowerTiles.h - lowering of kind IMPLICIT_GEMM ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the instruction that multiplies, and divides a tile among threads.
// Checks the assumptions of kernels, so that no kernel with wrong results is
// compiled; the requirements (Requirements.h) report the same errors earlier
// and in more detail.
//
// All of it is constexpr: instances (Instance.h) are lowered at compile time.
//
// Sibling: LowerAlgorithm.h, the rest of a kernel's integers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_LOWERTILES_H
#define KPACK_CONVBUILDER_LOWERTILES_H

#include "kpack/ConvBuilder/FixedText.h"
#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/Multiply.h"
#include "kpack/ConvBuilder/Resources.h"
#include "kpack/ConvBuilder/kernels/shared.h"

namespace kpack::conv {

/// The reason why values have no kernel. Success if they have one.
struct LoweringError {
  StatusCode Code = StatusCode::Success;
  FixedText<320> Text;

  constexpr bool ok() const { return Code == StatusCode::Success; }
  constexpr std::string_view view() const { return Text.view(); }
};

namespace detail {

namespace instruction = device::instruction;

/// Writes the text of an error; converts to false, the result of its function.
class Refusal {
public:
  constexpr Refusal(LoweringError &Sink, StatusCode Code) : To(Sink) {
    Sink.Code = Code;
  }
  template <typename Type> constexpr Refusal &operator<<(const Type &Value) {
    To.Text << Value;
    return *this;
  }
  constexpr Refusal &operator<<(const char *Message) {
    To.Text << Message;
    return *this;
  }
  constexpr operator bool() const { return false; }

private:
  LoweringError &To;
};

/// A matrix instruction, as lowering needs it.
struct MatrixInstruction {
  int Number;
  Isa In;
  DataType Type; ///< of elements; I8 includes U8
  int Rows, Columns, Depth;
  int PerLane;
  int Lanes;
  /// Prefixes of the processors that have it, separated by spaces.
  std::string_view On;
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
    {instruction::MFMA_WIDE_F16_32, Isa::MFMA, DataType::FP16, 32, 32, 16, 8,
     64, "gfx950"},
    {instruction::MFMA_WIDE_F16_16, Isa::MFMA, DataType::FP16, 16, 16, 32, 8,
     64, "gfx950"},
    {instruction::MFMA_NARROW_BF16_32, Isa::MFMA, DataType::BF16, 32, 32, 4, 2,
     64, "gfx908 gfx90a"},
    {instruction::MFMA_NARROW_BF16_16, Isa::MFMA, DataType::BF16, 16, 16, 8, 2,
     64, "gfx908 gfx90a"},
    {instruction::MFMA_BF16_32, Isa::MFMA, DataType::BF16, 32, 32, 8, 4, 64,
     "gfx90a gfx94 gfx95"},
    {instruction::MFMA_BF16_16, Isa::MFMA, DataType::BF16, 16, 16, 16, 4, 64,
     "gfx90a gfx94 gfx95"},
    {instruction::MFMA_WIDE_BF16_32, Isa::MFMA, DataType::BF16, 32, 32, 16, 8,
     64, "gfx950"},
    {instruction::MFMA_WIDE_BF16_16, Isa::MFMA, DataType::BF16, 16, 16, 32, 8,
     64, "gfx950"},
    {instruction::MFMA_I8_32, Isa::MFMA, DataType::I8, 32, 32, 8, 4, 64,
     "gfx908 gfx90a"},
    {instruction::MFMA_I8_16, Isa::MFMA, DataType::I8, 16, 16, 16, 4, 64,
     "gfx908 gfx90a"},
    {instruction::MFMA_WIDE_I8_32, Isa::MFMA, DataType::I8, 32, 32, 16, 8, 64,
     "gfx94 gfx95"},
    {instruction::MFMA_WIDE_I8_16, Isa::MFMA, DataType::I8, 16, 16, 32, 8, 64,
     "gfx94 gfx95"},
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
    {instruction::MFMA_FP8_32, Isa::MFMA, DataType::FP8, 32, 32, 16, 8, 64,
     "gfx94 gfx95"},
    {instruction::MFMA_FP8_16, Isa::MFMA, DataType::FP8, 16, 16, 32, 8, 64,
     "gfx94 gfx95"},
    {instruction::WMMA12_FP8, Isa::WMMA, DataType::FP8, 16, 16, 16, 8, 32,
     "gfx12"},
};

/// True if the processor's name begins with one of \p Prefixes.
constexpr bool isOneOf(std::string_view Processor, std::string_view Prefixes) {
  for (;;) {
    std::size_t End = Prefixes.find(' ');
    if (Processor.starts_with(Prefixes.substr(0, End)))
      return true;
    if (End == std::string_view::npos)
      return false;
    Prefixes.remove_prefix(End + 1);
  }
}

constexpr const LoweredTensor &leftOf(const Lowered &L) {
  return L.direction == static_cast<int>(ConvDirection::FORWARD) ? L.input
                                                                 : L.output;
}
constexpr const LoweredTensor &rightOf(const Lowered &L) {
  return L.direction == static_cast<int>(ConvDirection::BACKWARD_WEIGHT)
             ? L.input
             : L.weight;
}

constexpr bool divides(int Part, int Whole) {
  return Part > 0 && Whole % Part == 0;
}

constexpr bool isPowerOfTwo(int Value) {
  return Value > 0 && (Value & (Value - 1)) == 0;
}

/// Returns the bytes of LDS of a work-group of \p L.
constexpr long long ldsBytesOf(const Lowered &L) {
  if (L.kind != static_cast<int>(Kind::IMPLICIT_GEMM))
    return 0;
  auto TileBytes = [&](const LoweredTensor &Given, int Lines,
                       const LoweredOperand &Way) {
    return 1ll * bytesOf(static_cast<DataType>(Given.compute)) * Lines *
           (L.tile_k + Way.lds_pad);
  };
  long long Operands = (TileBytes(leftOf(L), L.tile_m, L.a) +
                        TileBytes(rightOf(L), L.tile_n, L.b)) *
                       L.buffers;
  long long Sums = 4ll * L.threads_m * L.tile_n;
  for (const MatrixInstruction &I : MatrixInstructions)
    if (I.Number == L.instruction)
      Sums = 4ll * L.wave_m * L.shuffle_m * I.Rows * L.wave_n * L.shuffle_n *
             I.Columns;
  return L.through_lds && Sums > Operands ? Sums : Operands;
}

/// Adds tile, instruction and derived numbers to a Lowered with its tensors.
class TileLowering {
public:
  constexpr TileLowering(Lowered &L, const Signature &Sig,
                         const Algorithm &Algo, std::string_view Processor,
                         LoweringError &Error)
      : L(L), Sig(Sig), How(Algo), Processor(Processor), Error(Error) {}

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
    L.index64 = How.split && How.split->index64;
    L.by_images = How.split && How.split->split_image;
    if (How.padding)
      L.pad_m = How.padding->m, L.pad_n = How.padding->n,
      L.pad_k = How.padding->k;
    bool IsMatrix = How.isa == Isa::MFMA || How.isa == Isa::WMMA;
    if (How.isa == Isa::AUTO)
      return missing() << "isa: AUTO has no kernel; VALU, DOT, MFMA and WMMA "
                          "have";
    return (IsMatrix ? lowerWaves() : lowerThreads()) && lowerBlock() &&
           lowerOperand(L.a, true) && lowerOperand(L.b, false) &&
           lowerPipeline() && lowerResult() && fits();
  }

private:
  constexpr Refusal bad() const {
    return Refusal(Error, StatusCode::InvalidArgument) << "algorithm.";
  }
  constexpr Refusal missing() const {
    return Refusal(Error, StatusCode::NotImplemented) << "algorithm.";
  }

  /// Finds the type of both operands in the product. Signed and unsigned bytes
  /// may be mixed (kernels/unsigned.h).
  constexpr bool findType(DataType &Type) const {
    Type = static_cast<DataType>(leftOf(L).compute);
    auto Second = static_cast<DataType>(rightOf(L).compute);
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
    return I.In == How.isa && I.Type == Type && isOneOf(Processor, I.On);
  }

  /// Returns null with an error if there is none.
  constexpr const MatrixInstruction *findInstruction(const MNK &Shape) const {
    DataType Type = DataType::UNDEFINED_DATA_TYPE;
    if (!findType(Type))
      return nullptr;
    for (const MatrixInstruction &I : MatrixInstructions)
      if (isOf(I, Type) && I.Rows == Shape.m && I.Columns == Shape.n &&
          I.Depth == Shape.k)
        return &I;
    missing() << "wave.instr: " << Processor << " has no " << nameOf(How.isa)
              << " of " << nameOf(Type) << " with " << Shape.m << "x" << Shape.n
              << "x" << Shape.k;
    bool HasAny = false;
    for (const MatrixInstruction &I : MatrixInstructions)
      if (isOf(I, Type)) {
        Error.Text << (HasAny ? ", " : "; it has ") << I.Rows << "x"
                   << I.Columns << "x" << I.Depth;
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
    // In this order no product exceeds a tile.
    if (Waves.m < 1 || Waves.n < 1 || !divides(I.Rows, L.tile_m) ||
        !divides(Waves.m, L.tile_m / I.Rows) || !divides(I.Columns, L.tile_n) ||
        !divides(Waves.n, L.tile_n / I.Columns) || !divides(I.Depth, L.tile_k))
      return bad() << "wave: waves times instr do not divide the tile";
    if (Waves.k > 1)
      return missing() << "wave.waves.k: no kernel shares sums among waves; "
                          "take 1";
    L.instruction = I.Number;
    L.wave_m = Waves.m;
    L.wave_n = Waves.n;
    L.block_size = Waves.m * Waves.n * I.Lanes;
    L.a.lds_vector = L.b.lds_vector = I.PerLane;
    if (How.c && How.c->shuffle.m)
      L.shuffle_m = How.c->shuffle.m;
    if (How.c && How.c->shuffle.n)
      L.shuffle_n = How.c->shuffle.n;
    if (!divides(L.shuffle_m, L.tile_m / (Waves.m * I.Rows)) ||
        !divides(L.shuffle_n, L.tile_n / (Waves.n * I.Columns)))
      return bad() << "c.shuffle: does not divide the repeats of a wave";
    return true;
  }

  constexpr bool lowerThreads() {
    const ThreadTile &Thread = *How.thread; // if absent, the default value
    L.thread_m = Thread.m1;
    L.thread_n = Thread.n1;
    L.thread_k = Thread.k_per_thread ? Thread.k_per_thread : 1;
    if (!divides(L.thread_m, L.tile_m) || !divides(L.thread_n, L.tile_n))
      return bad() << "thread: m1 and n1 do not divide the tile";
    // A product that exceeds any work-group becomes 0, which divides nothing.
    auto Along = [](const List<int, 2> &Given, int Pieces) {
      if (Given.size() != 2)
        return Pieces;
      long long Threads = times(Given[0], Given[1]);
      return Threads > 1024 ? 0 : static_cast<int>(Threads);
    };
    L.threads_m = Along(Thread.m1_xs, L.tile_m / L.thread_m);
    L.threads_n = Along(Thread.n1_xs, L.tile_n / L.thread_n);
    if (!divides(L.threads_m * L.thread_m, L.tile_m) ||
        !divides(L.threads_n * L.thread_n, L.tile_n))
      return bad() << "thread: m1 times m1_xs and n1 times n1_xs do not divide "
                      "the tile";
    if (How.isa == Isa::DOT && !lowerDot())
      return false;
    if (!isPowerOfTwo(L.thread_k) || L.thread_k > 16 ||
        !divides(L.thread_k, L.tile_k))
      return bad() << "thread.k_per_thread: is no power of two up to 16 that "
                      "divides tile.k";
    if (How.c && (How.c->shuffle.m > 1 || How.c->shuffle.n > 1))
      return bad() << "c.shuffle: is about repeats of waves, and threads have "
                      "none";
    L.block_size = L.threads_m * L.threads_n;
    L.a.lds_vector = L.b.lds_vector = L.thread_k;
    return true;
  }

  /// Sets the instruction, and checks that a step contains whole ones.
  constexpr bool lowerDot() {
    struct {
      std::string_view Builtin;
      int Number;
    } constexpr Dots[] = {{"fdot2", instruction::DOT_F16},
                          {"fdot2_f32_bf16", instruction::DOT_BF16},
                          {"sdot4", instruction::DOT_I8},
                          {"sudot4", instruction::DOT_ANY8},
                          {"udot4", instruction::DOT_U8}};
    const conv::Processor *Gpu = findProcessor(Target(Processor));
    int Each = 0;
    for (const Instruction &I : Instructions)
      for (const auto &Dot : Dots)
        if (Gpu && !Each && I.Builtin == Dot.Builtin &&
            isUsable(I, Isa::DOT, Sig, Gpu)) {
          L.instruction = Dot.Number;
          Each = I.Depth;
        }
    if (!Each)
      return missing() << "isa: DOT of " << Processor << " does not multiply "
                       << nameOf(productTypeOfA(Sig)) << " with "
                       << nameOf(productTypeOfB(Sig)) << "; VALU does";
    if (!How.thread || !How.thread->k_per_thread)
      L.thread_k = Each;
    if (L.thread_k % Each)
      return bad() << "thread.k_per_thread: one dot product sums " << Each;
    return true;
  }

  constexpr bool lowerBlock() {
    if (How.block_size && How.block_size != L.block_size)
      return bad() << "block_size: the tile makes it " << L.block_size;
    if (L.block_size > 1024)
      return bad() << "tile: " << L.block_size << " threads are more than 1024";
    return true;
  }

  /// Sets the path of one operand; L already has the part of k that is taken at
  /// once.
  constexpr bool lowerOperand(LoweredOperand &Output, bool IsLeft) {
    // If absent, the default value.
    const Operand &Way = IsLeft ? *How.a : *How.b;
    std::string_view Name = IsLeft ? "a" : "b";
    Role TensorRole = IsLeft ? roleOfA(Sig.direction) : roleOfB(Sig.direction);
    const TensorConfig &Config = tensorOf(Sig, TensorRole).config;
    int Lines = IsLeft ? L.tile_m : L.tile_n;
    Side Along = sideOfNeighbours(Sig, TensorRole, How);
    // Without known neighbours, rows are positions, whose loads go by lines.
    bool HasPositions =
        IsLeft && Sig.direction != ConvDirection::BACKWARD_WEIGHT;
    Output.by_lines =
        Along == Side::Mn || (Along == Side::None && HasPositions);
    Output.vector = Way.load_vector ? Way.load_vector : 1;
    if (Output.vector > 1 && Along == Side::None)
      return bad() << Name << ".load_vector: neighbours in the layout "
                   << nameOf(Config.layout)
                   << " are not together in the product; take 1";
    if (!isPowerOfTwo(Output.vector) ||
        Output.vector * bytesOf(Config.data_type) > 16 ||
        !divides(Output.vector, Output.by_lines ? Lines : L.tile_k))
      return bad() << Name
                   << ".load_vector: is no power of two of at most 16 bytes "
                      "that divides the tile";
    Output.loads =
        (Lines * L.tile_k / Output.vector + L.block_size - 1) / L.block_size;
    Output.lds_pad = Way.lds_pad;
    return lowerLdsVector(Output, Way, Name, Lines,
                          bytesOf(Config.compute_type));
  }

  /// Sets the LDS vector for elements of \p Size bytes. An open vector becomes
  /// the longest for which rows are aligned.
  constexpr bool lowerLdsVector(LoweredOperand &Output, const Operand &Way,
                                std::string_view Name, int Lines, int Size) {
    long long Pitch = static_cast<long long>(L.tile_k) + Output.lds_pad;
    auto IsAligned = [&](int Vector) {
      return Pitch % Vector == 0 && Lines * Pitch % Vector == 0;
    };
    if (Way.lds_vector) {
      Output.lds_vector = Way.lds_vector;
      if (!isPowerOfTwo(Output.lds_vector) || Output.lds_vector * Size > 16)
        return bad() << Name
                     << ".lds_vector: is no power of two of at most 16 bytes";
      if (!IsAligned(Output.lds_vector))
        return bad() << Name << ".lds_pad: a row of " << Pitch * Size
                     << " bytes does not keep the alignment of "
                     << Output.lds_vector * Size;
    } else {
      while (Output.lds_vector * Size > 16 || !IsAligned(Output.lds_vector))
        Output.lds_vector /= 2;
    }
    if (!Way.k_pack)
      return true;
    // No access exceeds a pack, whose last vector may be short.
    while (Way.k_pack % Output.lds_vector)
      Output.lds_vector /= 2;
    return true;
  }

  constexpr bool lowerPipeline() {
    // If absent, the default value.
    const Pipeline &P = *How.pipeline;
    if (P.version != PipelineVersion::V1 && P.version != PipelineVersion::V3 &&
        P.version != PipelineVersion::V4)
      return missing() << "pipeline.version: " << nameOf(P.version)
                       << " is not implemented; V1, V3 and V4 are";
    L.prefetch = P.version != PipelineVersion::V1;
    L.buffers = buffersOf(P);
    return true;
  }

  constexpr bool lowerResult() {
    if (!How.c)
      return true;
    Role TensorRole = roleOfResult(Sig.direction);
    const TensorConfig &Config = tensorOf(Sig, TensorRole).config;
    L.through_lds = isThroughLds(*How.c);
    L.store_vector = How.c->store_vector ? How.c->store_vector : 1;
    if (L.store_vector > 1 &&
        sideOfNeighbours(Sig, TensorRole, How) == Side::None)
      return bad() << "c.store_vector: neighbours in the layout "
                   << nameOf(Config.layout)
                   << " are not together in the product; take 1";
    if (!isPowerOfTwo(L.store_vector) ||
        L.store_vector * bytesOf(Config.data_type) > 16 ||
        !divides(L.store_vector, L.tile_n))
      return bad() << "c.store_vector: is no power of two of at most 16 bytes "
                      "that divides the tile";
    return true;
  }

  constexpr bool fits() {
    // The capacity of the kernel's CPU form.
    constexpr int Most = 16, MostThreads = 256;
    if (Processor == "cpu" &&
        (L.block_size > MostThreads || L.a.loads > Most || L.b.loads > Most ||
         L.tile_m / L.threads_m > Most || L.tile_n / L.threads_n > Most))
      return bad() << "tile: the CPU's kernels have up to 256 threads, with up "
                      "to 16 rows, columns and loads each";
    const conv::Processor *Gpu = findProcessor(Target(Processor));
    int Room = Gpu ? Gpu->LdsBytes : 65536;
    if (ldsBytesOf(L) > Room)
      return bad() << "tile: needs " << ldsBytesOf(L) << " bytes of LDS, "
                   << Room << " are there";
    return true;
  }

  Lowered &L;
  const Signature &Sig;
  const Algorithm &How;
  std::string_view Processor;
  LoweringError &Error;
};

} // namespace detail

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_LOWERTILES_H
