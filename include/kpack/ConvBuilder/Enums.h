//===- Enums.h - descriptors' enumerations and names ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The enumerations of signatures and algorithms, and a table of names for each:
//
//   nameOf(DataType::FP16)                  "FP16"
//   valueOf("FP16", Type)                   true, and Type is FP16
//   EnumTable<DataType>::Rows[1].Text       "IEEE binary32"
//
// All functions are constexpr, with g++-12 and clang. Enums.def has the lists.
// Enumerators have CK's spelling, because other programs exchange them by name.
//
// Siblings: Layouts.h (dimensions of a layout), Operations.h (operands of an
// operation).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_ENUMS_H
#define KPACK_CONVBUILDER_ENUMS_H

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace kpack::conv {

#define KPACK_CONV_NAME_ONLY(NAME, TEXT) NAME,
#define KPACK_CONV_NAME_OF_FOUR(NAME, AUXILIARY, PARAMETERS, TEXT) NAME,

/// The direction, which selects the tensor that is computed.
enum class ConvDirection : unsigned char {
#define KPACK_CONV_DIRECTION KPACK_CONV_NAME_ONLY
#include "kpack/ConvBuilder/Enums.def"
};

/// The type of a tensor's elements. Six can be convolved (convolvable()); the
/// others are types of sums, auxiliary operands and results.
enum class DataType : unsigned char {
#define KPACK_CONV_DATA_TYPE KPACK_CONV_NAME_ONLY
#include "kpack/ConvBuilder/Enums.def"
};

/// The order of a tensor's dimensions in memory, slowest first. G: groups, N:
/// batch, C: input channels, K: output channels, DHW: image, ZYX: filter.
enum class TensorLayout : unsigned char {
#define KPACK_CONV_LAYOUT KPACK_CONV_NAME_ONLY
#include "kpack/ConvBuilder/Enums.def"
};

/// The operation on each element when a tensor is loaded or stored.
enum class ElementwiseOperation : unsigned char {
#define KPACK_CONV_OPERATION KPACK_CONV_NAME_OF_FOUR
#include "kpack/ConvBuilder/Enums.def"
};

/// The method of the convolution.
enum class Kind : unsigned char {
#define KPACK_CONV_KIND KPACK_CONV_NAME_ONLY
#include "kpack/ConvBuilder/Enums.def"
};

/// The instructions that multiply.
enum class Isa : unsigned char {
#define KPACK_CONV_ISA KPACK_CONV_NAME_ONLY
#include "kpack/ConvBuilder/Enums.def"
};

/// The schedule of loads in the main loop.
enum class PipelineVersion : unsigned char {
#define KPACK_CONV_PIPELINE_VERSION KPACK_CONV_NAME_ONLY
#include "kpack/ConvBuilder/Enums.def"
};

/// The schedule of waves in the inner loop.
enum class PipelineScheduler : unsigned char {
#define KPACK_CONV_PIPELINE_SCHEDULER KPACK_CONV_NAME_ONLY
#include "kpack/ConvBuilder/Enums.def"
};

/// Properties of the filter that a kernel may rely on.
enum class ConvSpecialization : unsigned char {
#define KPACK_CONV_SPECIALIZATION KPACK_CONV_NAME_ONLY
#include "kpack/ConvBuilder/Enums.def"
};

/// The order in which stream-K adds the parts of a tile.
enum class StreamKReductionStrategy : unsigned char {
#define KPACK_CONV_STREAM_K_REDUCTION KPACK_CONV_NAME_ONLY
#include "kpack/ConvBuilder/Enums.def"
};

#undef KPACK_CONV_NAME_ONLY
#undef KPACK_CONV_NAME_OF_FOUR

/// An enumerator's name and meaning.
struct EnumRow {
  std::string_view Name;
  std::string_view Text;
};

/// Rows[i] describes the enumerator with the value i. Type is the printed name
/// of the enumeration.
template <typename Enum> struct EnumTable;

// With lengths, because computing them at compile time would take most of this
// header's compile time.
#define KPACK_CONV_ROW(NAME, TEXT)                                             \
  EnumRow{{#NAME, sizeof(#NAME) - 1}, {TEXT, sizeof(TEXT) - 1}},
#define KPACK_CONV_ROW_OF_FOUR(NAME, AUXILIARY, PARAMETERS, TEXT)              \
  KPACK_CONV_ROW(NAME, TEXT)

template <> struct EnumTable<ConvDirection> {
  static constexpr std::string_view Type = "direction";
  static constexpr EnumRow Rows[] = {
#define KPACK_CONV_DIRECTION KPACK_CONV_ROW
#include "kpack/ConvBuilder/Enums.def"
  };
};

template <> struct EnumTable<DataType> {
  static constexpr std::string_view Type = "data type";
  static constexpr EnumRow Rows[] = {
#define KPACK_CONV_DATA_TYPE KPACK_CONV_ROW
#include "kpack/ConvBuilder/Enums.def"
  };
};

template <> struct EnumTable<TensorLayout> {
  static constexpr std::string_view Type = "layout";
  static constexpr EnumRow Rows[] = {
#define KPACK_CONV_LAYOUT KPACK_CONV_ROW
#include "kpack/ConvBuilder/Enums.def"
  };
};

template <> struct EnumTable<ElementwiseOperation> {
  static constexpr std::string_view Type = "operation";
  static constexpr EnumRow Rows[] = {
#define KPACK_CONV_OPERATION KPACK_CONV_ROW_OF_FOUR
#include "kpack/ConvBuilder/Enums.def"
  };
};

template <> struct EnumTable<Kind> {
  static constexpr std::string_view Type = "kind";
  static constexpr EnumRow Rows[] = {
#define KPACK_CONV_KIND KPACK_CONV_ROW
#include "kpack/ConvBuilder/Enums.def"
  };
};

template <> struct EnumTable<Isa> {
  static constexpr std::string_view Type = "isa";
  static constexpr EnumRow Rows[] = {
#define KPACK_CONV_ISA KPACK_CONV_ROW
#include "kpack/ConvBuilder/Enums.def"
  };
};

template <> struct EnumTable<PipelineVersion> {
  static constexpr std::string_view Type = "pipeline version";
  static constexpr EnumRow Rows[] = {
#define KPACK_CONV_PIPELINE_VERSION KPACK_CONV_ROW
#include "kpack/ConvBuilder/Enums.def"
  };
};

template <> struct EnumTable<PipelineScheduler> {
  static constexpr std::string_view Type = "pipeline scheduler";
  static constexpr EnumRow Rows[] = {
#define KPACK_CONV_PIPELINE_SCHEDULER KPACK_CONV_ROW
#include "kpack/ConvBuilder/Enums.def"
  };
};

template <> struct EnumTable<ConvSpecialization> {
  static constexpr std::string_view Type = "specialization";
  static constexpr EnumRow Rows[] = {
#define KPACK_CONV_SPECIALIZATION KPACK_CONV_ROW
#include "kpack/ConvBuilder/Enums.def"
  };
};

template <> struct EnumTable<StreamKReductionStrategy> {
  static constexpr std::string_view Type = "stream-K reduction";
  static constexpr EnumRow Rows[] = {
#define KPACK_CONV_STREAM_K_REDUCTION KPACK_CONV_ROW
#include "kpack/ConvBuilder/Enums.def"
  };
};

#undef KPACK_CONV_ROW
#undef KPACK_CONV_ROW_OF_FOUR

/// An enumeration of this file.
template <typename Type>
concept Enumeration =
    std::is_enum_v<Type> && requires { EnumTable<Type>::Rows[0].Name; };

template <Enumeration Enum>
inline constexpr std::size_t EnumCount = std::size(EnumTable<Enum>::Rows);

/// Returns the name of \p Value; "?" if it is no enumerator.
template <Enumeration Enum> constexpr std::string_view nameOf(Enum Value) {
  auto Index = static_cast<std::size_t>(Value);
  return Index < EnumCount<Enum> ? EnumTable<Enum>::Rows[Index].Name : "?";
}

/// Sets \p Value and returns true if an enumerator has this name.
template <Enumeration Enum>
constexpr bool valueOf(std::string_view Name, Enum &Value) {
  for (std::size_t I = 0; I < EnumCount<Enum>; ++I)
    if (EnumTable<Enum>::Rows[I].Name == Name) {
      Value = static_cast<Enum>(I);
      return true;
    }
  return false;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_ENUMS_H
