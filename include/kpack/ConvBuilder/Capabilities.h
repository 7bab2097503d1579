//===- kpack/ConvBuilder/Capabilities.h - what GPUs have --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes and matrix instructions of processors, as compilers know them:
//
//   const Processor *Gpu = findProcessor("gfx942");
//   Gpu->LdsBytes                           65536
//   for (const Instruction &I : Instructions)
//     if (Gpu->has(I)) ...
//
// "Since gfx908" is not how it is: later processors lack what earlier ones had,
// and a front end accepts instructions that its back end dies on. So every cell
// was asked for: Capabilities.inc is written by scripts/probe-capabilities,
// with a column for each LLVM. Another LLVM has the column of the one before
// it.
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

  template <typename... Text> constexpr explicit Columns(Text... Of) {
    const char *Texts[] = {Of...};
    for (std::size_t I = 0; I < LlvmCount; ++I)
      for (std::size_t P = 0; Texts[I][P] != 0; ++P)
        Bits[I] |= static_cast<unsigned>(Texts[I][P] == 'y') << P;
  }
};

} // namespace detail

/// The LLVM that is meant where nobody says which one compiles.
inline constexpr int NewestLlvm = detail::KnownLlvms[detail::LlvmCount - 1];

/// All names that there are, in the order of the columns.
inline constexpr std::string_view ProcessorNames[] = {
#define KPACK_CONV_PROCESSOR_NAME(NAME) #NAME,
#include "kpack/ConvBuilder/Capabilities.inc"
};

namespace detail {
/// Of a processor and an LLVM that the table has.
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

/// An instruction that multiplies more than two numbers. A tile of m x n sums,
/// each of k products; m and n are 1 for dot products of one lane.
struct Instruction {
  std::string_view Builtin; ///< without __builtin_amdgcn_
  Isa Of;
  DataType Operand;
  DataType Sum;
  int Rows;
  int Columns;
  int Depth;
  detail::Columns On;

  /// Whether each 8-bit operand may have a sign or none.
  constexpr bool takesAnySign() const {
    return Sum == DataType::I32 &&
           (Of == Isa::WMMA || Builtin.starts_with("sudot"));
  }
  /// Whether some processor has it.
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

/// What else processors may have.
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

/// A processor, by one LLVM.
struct Processor {
  int Llvm;
  std::string_view Name;
  int WaveSize;
  int LdsBytes;   ///< that a work-group can have
  int Vgprs;      ///< that a wave can have, of 32 bits for each lane
  int Agprs;      ///< the same of accumulators of MFMA
  bool IsOneFile; ///< VGPRs and AGPRs are of one file, which waves divide
  int SimdVgprs;  ///< of all waves of a SIMD together, for each lane
  int SimdWaves;  ///< that a SIMD runs at once
  /// Where it is in Columns. Constant expressions ask hundreds of times, and
  /// comparing names would be most of what they do.
  detail::Column Where;

  /// Of a compute unit, or of the two that a work-group of RDNA can use.
  static constexpr int Simds = 4;

  constexpr bool has(const Instruction &I) const {
    return (I.On.Bits[Where.Llvm] >> Where.Name & 1) != 0;
  }
  constexpr bool has(Feature F) const {
    return (detail::FeatureColumns[static_cast<unsigned>(F)].Bits[Where.Llvm] >>
                Where.Name &
            1) != 0;
  }
  /// Whether it has any of these instructions.
  constexpr bool has(Isa Of) const {
    if (Of == Isa::VALU)
      return true;
    for (const Instruction &I : Instructions)
      if (I.Of == Of && has(I))
        return true;
    return false;
  }
};

inline constexpr Processor Processors[] = {
#define KPACK_CONV_PROCESSOR(LLVM, NAME, ...)                                  \
  Processor{LLVM, #NAME, __VA_ARGS__, detail::Column(LLVM, #NAME)},
#include "kpack/ConvBuilder/Capabilities.inc"
};

/// For what is compiled, and by which LLVM. Made of a name: "gfx942",
/// "gfx942:xnack+". The empty one is no processor.
struct Target {
  std::string_view Name;
  int Llvm = NewestLlvm;

  constexpr Target() = default;
  constexpr Target(std::string_view Name, int Llvm = NewestLlvm)
      : Name(Name.substr(0, Name.find(':'))), Llvm(Llvm) {}
  constexpr Target(const char *Name) : Target(std::string_view(Name)) {}
};

/// Null where the table has no such processor.
constexpr const Processor *findProcessor(const Target &Of) {
  int Llvm = detail::KnownLlvms[0];
  for (int Known : detail::KnownLlvms)
    if (Known <= Of.Llvm)
      Llvm = Known;
  for (const Processor &P : Processors)
    if (P.Llvm == Llvm && P.Name == Of.Name)
      return &P;
  return nullptr;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CAPABILITIES_H
