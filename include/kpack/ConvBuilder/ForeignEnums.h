//===- kpack/ConvBuilder/ForeignEnums.h - enums of others -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads enumerations that are declared elsewhere with the same words: CK's own
// DataType in CK's own namespace. Enumerators are found by their names, never
// by their numbers, which are others there:
//
//   SameWords<ck_tile::builder::DataType, DataType>           true
//   translate(ck_tile::builder::DataType::FP16, Type)         true: FP16
//
// An enumerator that has no namesake here is refused. Sibling: Shapes.h, which
// does the same for the members of structs.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_FOREIGNENUMS_H
#define KPACK_CONVBUILDER_FOREIGNENUMS_H

#include "kpack/ConvBuilder/Enums.h"

namespace kpack::conv::detail {

/// Same<Theirs>: whether another enumeration has a word that, of all of ours,
/// only Ours has. read(Value, Out): by name; false where there is none.
template <typename Ours> struct ForeignEnum {
  template <typename Theirs> static constexpr bool Same = false;
};

#define KPACK_CONV_FOREIGN(ENUM, WORD)                                         \
  template <typename Theirs>                                                   \
  static constexpr bool Same = requires { Theirs::WORD; };                     \
  using Ours = ENUM;

#define KPACK_CONV_FOREIGN_WORD(NAME, TEXT)                                    \
  if constexpr (requires { Theirs::NAME; })                                    \
    if (Value == Theirs::NAME)                                                 \
      return Out = Ours::NAME, true;
#define KPACK_CONV_FOREIGN_WORD_OF_FOUR(NAME, AUXILIARY, PARAMETERS, TEXT)     \
  KPACK_CONV_FOREIGN_WORD(NAME, TEXT)

template <> struct ForeignEnum<ConvDirection> {
  KPACK_CONV_FOREIGN(ConvDirection, BACKWARD_WEIGHT)
  template <typename Theirs>
  static constexpr bool read(Theirs Value, Ours &Out) {
#define KPACK_CONV_DIRECTION KPACK_CONV_FOREIGN_WORD
#include "kpack/ConvBuilder/Enums.def"
    return false;
  }
};

template <> struct ForeignEnum<DataType> {
  KPACK_CONV_FOREIGN(DataType, FP16)
  template <typename Theirs>
  static constexpr bool read(Theirs Value, Ours &Out) {
#define KPACK_CONV_DATA_TYPE KPACK_CONV_FOREIGN_WORD
#include "kpack/ConvBuilder/Enums.def"
    return false;
  }
};

template <> struct ForeignEnum<TensorLayout> {
  KPACK_CONV_FOREIGN(TensorLayout, NHWGC)
  template <typename Theirs>
  static constexpr bool read(Theirs Value, Ours &Out) {
#define KPACK_CONV_LAYOUT KPACK_CONV_FOREIGN_WORD
#include "kpack/ConvBuilder/Enums.def"
    return false;
  }
};

template <> struct ForeignEnum<ElementwiseOperation> {
  KPACK_CONV_FOREIGN(ElementwiseOperation, PASS_THROUGH)
  template <typename Theirs>
  static constexpr bool read(Theirs Value, Ours &Out) {
#define KPACK_CONV_OPERATION KPACK_CONV_FOREIGN_WORD_OF_FOUR
#include "kpack/ConvBuilder/Enums.def"
    return false;
  }
};

template <> struct ForeignEnum<PipelineVersion> {
  KPACK_CONV_FOREIGN(PipelineVersion, WEIGHT_ONLY)
  template <typename Theirs>
  static constexpr bool read(Theirs Value, Ours &Out) {
#define KPACK_CONV_PIPELINE_VERSION KPACK_CONV_FOREIGN_WORD
#include "kpack/ConvBuilder/Enums.def"
    return false;
  }
};

template <> struct ForeignEnum<PipelineScheduler> {
  KPACK_CONV_FOREIGN(PipelineScheduler, INTRAWAVE)
  template <typename Theirs>
  static constexpr bool read(Theirs Value, Ours &Out) {
#define KPACK_CONV_PIPELINE_SCHEDULER KPACK_CONV_FOREIGN_WORD
#include "kpack/ConvBuilder/Enums.def"
    return false;
  }
};

template <> struct ForeignEnum<ConvSpecialization> {
  KPACK_CONV_FOREIGN(ConvSpecialization, FILTER_1X1_PAD0)
  template <typename Theirs>
  static constexpr bool read(Theirs Value, Ours &Out) {
#define KPACK_CONV_SPECIALIZATION KPACK_CONV_FOREIGN_WORD
#include "kpack/ConvBuilder/Enums.def"
    return false;
  }
};

template <> struct ForeignEnum<StreamKReductionStrategy> {
  KPACK_CONV_FOREIGN(StreamKReductionStrategy, TREE)
  template <typename Theirs>
  static constexpr bool read(Theirs Value, Ours &Out) {
#define KPACK_CONV_STREAM_K_REDUCTION KPACK_CONV_FOREIGN_WORD
#include "kpack/ConvBuilder/Enums.def"
    return false;
  }
};

#undef KPACK_CONV_FOREIGN
#undef KPACK_CONV_FOREIGN_WORD
#undef KPACK_CONV_FOREIGN_WORD_OF_FOUR

/// Whether \p Theirs is \p Ours, or an enumeration with its words.
template <typename Theirs, typename Ours>
concept SameWords =
    std::is_same_v<Theirs, Ours> ||
    (std::is_enum_v<Theirs> && ForeignEnum<Ours>::template Same<Theirs>);

/// The namesake of \p Value. False, with \p Out untouched, where it has none.
template <typename Theirs, typename Ours>
  requires SameWords<Theirs, Ours>
constexpr bool translate(Theirs Value, Ours &Out) {
  if constexpr (std::is_same_v<Theirs, Ours>) {
    if (static_cast<std::size_t>(Value) >= EnumCount<Ours>)
      return false;
    Out = Value;
    return true;
  } else {
    return ForeignEnum<Ours>::read(Value, Out);
  }
}

} // namespace kpack::conv::detail

#endif // KPACK_CONVBUILDER_FOREIGNENUMS_H
