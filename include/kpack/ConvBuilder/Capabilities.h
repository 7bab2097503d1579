//===- Capabilities.h - sizes and instructions of GPUs ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes and matrix instructions of processors, according to compilers:
//
//   const Processor *Gpu = findProcessor("gfx942");
//   Gpu->LdsBytes                           65536
//   for (const Instruction &I : Instructions)
//     if (Gpu->has(I)) ...
//
// Capabilities are not monotonic: later processors lack instructions of earlier
// ones, and some instructions pass the front end and crash the back end. So
// scripts/probe-capabilities compiles a test for every cell and writes
// Capabilities.inc, with a column for each LLVM. An unknown LLVM uses the
// column of the next older one, or else the first.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CAPABILITIES_H
#define KPACK_CONVBUILDER_CAPABILITIES_H

#include "kpack/ConvBuilder/Enums.h"

namespace kpack::conv {

namespace detail {

inline constexpr int KnownLlvms[] = {
#define KPACK_CONV_LLVM(NUMBER) NUMBER,
#include "kpack/ConvBuilder/Capabilities.inc"
};

inline constexpr std::size_t LlvmCount = std::size(KnownLlvms);

/// A bit for each processor, for each LLVM.
struct Columns {
  unsigned Bits[LlvmCount] = {};

  template <typename... Text> constexpr explicit Columns(Text... Names) {
    const char *Texts[] = {Names...};
    for (std::size_t I = 0; I < LlvmCount; ++I)
      for (std::size_t P = 0; Texts[I][P] != 0; ++P)
        Bits[I] |= static_cast<unsigned>(Texts[I][P] == 'y') << P;
  }
};

} // namespace detail

/// The default LLVM if the caller names no compiler.
inline constexpr int NewestLlvm = detail::KnownLlvms[detail::LlvmCount - 1];

/// The names of all processors, in the order of the columns.
inline constexpr std::string_view ProcessorNames[] = {
#define KPACK_CONV_PROCESSOR_NAME(NAME) #NAME,
#include "kpack/ConvBuilder/Capabilities.inc"
};

namespace detail {
/// The column of a processor and an LLVM of the table.
struct Column {
  unsigned char Llvm = 0;
  unsigned char Name = 0;

  constexpr Column(int OfLlvm, std::string_view OfName) {
    while (KnownLlvms[Llvm] != OfLlvm)
      ++Llvm;
    while (ProcessorNames[Name] != OfName)
      ++Name;
  }
};
} // namespace detail

/// A matrix or dot instruction. It computes m x n sums of k products each; m
/// and n are 1 for dot products of one lane.
struct Instruction {
  std::string_view Builtin; ///< without __builtin_amdgcn_
  Isa Of;
  DataType Operand;
  DataType Sum;
  int Rows;
  int Columns;
  int Depth;
  detail::Columns On;

  /// True if each 8-bit operand may be signed or unsigned.
  constexpr bool takesAnySign() const {
    return Sum == DataType::I32 &&
           (Of == Isa::WMMA || Builtin.starts_with("sudot"));
  }
  /// True if any processor has it.
  constexpr bool isAnywhere() const {
    return On.Bits[detail::LlvmCount - 1] != 0;
  }
};

inline constexpr Instruction Instructions[] = {
#define KPACK_CONV_INSTRUCTION(NAME, ISA, OPERAND, SUM, ROWS, COLUMNS, DEPTH,  \
                               ...)                                            \
  Instruction{                                                                 \
      #NAME,   Isa::ISA, DataType::OPERAND,           DataType::SUM, ROWS,     \
      COLUMNS, DEPTH,    detail::Columns(__VA_ARGS__)},
#include "kpack/ConvBuilder/Capabilities.inc"
};

/// Other features of processors.
enum class Feature : unsigned char {
#define KPACK_CONV_FEATURE(NAME, ...) NAME,
#include "kpack/ConvBuilder/Capabilities.inc"
};

namespace detail {
inline constexpr Columns FeatureColumns[] = {
#define KPACK_CONV_FEATURE(NAME, ...) Columns(__VA_ARGS__),
#include "kpack/ConvBuilder/Capabilities.inc"
};
} // namespace detail

/// A processor as one LLVM knows it.
struct Processor {
  int Llvm;
  std::string_view Name;
  int WaveSize;
  int LdsBytes;   ///< maximum of a work-group
  int Vgprs;      ///< maximum of a wave, 32 bits for each lane
  int Agprs;      ///< likewise, accumulators of MFMA
  bool IsOneFile; ///< VGPRs and AGPRs share one file
  int SimdVgprs;  ///< of all waves of a SIMD, for each lane
  int SimdWaves;  ///< maximum of a SIMD at a time
  /// Its place in Columns. Constant expressions look it up hundreds of times,
  /// and comparisons of names would take most of their time.
  detail::Column Where;

  /// SIMDs of a compute unit, or of the two that a work-group of RDNA can use.
  static constexpr int Simds = 4;

  constexpr bool has(const Instruction &I) const {
    return (I.On.Bits[Where.Llvm] >> Where.Name & 1) != 0;
  }
  constexpr bool has(Feature F) const {
    return (detail::FeatureColumns[static_cast<unsigned>(F)].Bits[Where.Llvm] >>
                Where.Name &
            1) != 0;
  }
  /// True if it has any of these instructions.
  constexpr bool has(Isa IsaKind) const {
    if (IsaKind == Isa::VALU)
      return true;
    for (const Instruction &I : Instructions)
      if (I.Of == IsaKind && has(I))
        return true;
    return false;
  }
};

inline constexpr Processor Processors[] = {
#define KPACK_CONV_PROCESSOR(LLVM, NAME, ...)                                  \
  Processor{LLVM, #NAME, __VA_ARGS__, detail::Column(LLVM, #NAME)},
#include "kpack/ConvBuilder/Capabilities.inc"
};

/// The target of a compile, and the compiler's LLVM. Made from a name:
/// "gfx942", "gfx942:xnack+". An empty name means no processor.
struct Target {
  std::string_view Name;
  int Llvm = NewestLlvm;

  constexpr Target() = default;
  constexpr Target(std::string_view Name, int Llvm = NewestLlvm)
      : Name(Name.substr(0, Name.find(':'))), Llvm(Llvm) {}
  constexpr Target(const char *Name) : Target(std::string_view(Name)) {}
};

/// Returns null if the table lacks the processor.
constexpr const Processor *findProcessor(const Target &TargetId) {
  int Llvm = detail::KnownLlvms[0];
  for (int Known : detail::KnownLlvms)
    if (Known <= TargetId.Llvm)
      Llvm = Known;
  for (const Processor &P : Processors)
    if (P.Llvm == Llvm && P.Name == TargetId.Name)
      return &P;
  return nullptr;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CAPABILITIES_H
