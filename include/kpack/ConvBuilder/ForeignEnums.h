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
// An enumerator that has no namesake here is refused, and so is one with a
// number of MaxEnumerator or more: names are looked up for all numbers below.
// Names come from how compilers write a function's template arguments.
//
// Siblings: MemberNames.h and Shapes.h, for members of structs.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_FOREIGNENUMS_H
#define KPACK_CONVBUILDER_FOREIGNENUMS_H

#include "kpack/ConvBuilder/Enums.h"

#include <utility>

namespace kpack::conv::detail {

inline constexpr std::size_t MaxEnumerator = 64;

/// The last word in how a compiler writes a function: of its last argument.
constexpr std::string_view lastWord(std::string_view Text) {
  // After the arguments, g++ explains what a string_view is.
  Text = Text.substr(0, Text.find("; std::string_view"));
  auto IsLetter = [](char Letter) {
    return (Letter >= 'a' && Letter <= 'z') ||
           (Letter >= 'A' && Letter <= 'Z') ||
           (Letter >= '0' && Letter <= '9') || Letter == '_';
  };
  while (!Text.empty() && !IsLetter(Text.back()))
    Text.remove_suffix(1);
  std::size_t Start = Text.size();
  while (Start > 0 && IsLetter(Text[Start - 1]))
    --Start;
  return Text.substr(Start);
}

/// A number, where it is no enumerator.
template <auto Enumerator> constexpr std::string_view wordOf() {
  return lastWord(__PRETTY_FUNCTION__);
}

/// Of all numbers below MaxEnumerator.
template <typename Enum> struct EnumWords {
  std::string_view Words[MaxEnumerator];

  constexpr EnumWords()
      : EnumWords(std::make_index_sequence<MaxEnumerator>()) {}

  constexpr std::string_view operator[](Enum Value) const {
    auto Number = static_cast<unsigned long long>(Value);
    return Number < MaxEnumerator ? Words[Number] : std::string_view();
  }

private:
  template <std::size_t... Number>
  constexpr explicit EnumWords(std::index_sequence<Number...>)
      : Words{wordOf<static_cast<Enum>(Number)>()...} {}
};

template <typename Enum> inline constexpr EnumWords<Enum> WordsOf{};

/// An enumeration that can have any number, as "enum class" can.
template <typename Type>
concept AnyNumberEnum = std::is_enum_v<Type> && requires { Type{0}; };

/// Whether another enumeration has a word that, of all of ours, only this has.
template <typename Theirs> constexpr bool hasWordOf(ConvDirection) {
  return requires { Theirs::BACKWARD_WEIGHT; };
}
template <typename Theirs> constexpr bool hasWordOf(DataType) {
  return requires { Theirs::FP16; };
}
template <typename Theirs> constexpr bool hasWordOf(TensorLayout) {
  return requires { Theirs::NHWGC; };
}
template <typename Theirs> constexpr bool hasWordOf(ElementwiseOperation) {
  return requires { Theirs::PASS_THROUGH; };
}
template <typename Theirs> constexpr bool hasWordOf(PipelineVersion) {
  return requires { Theirs::WEIGHT_ONLY; };
}
template <typename Theirs> constexpr bool hasWordOf(PipelineScheduler) {
  return requires { Theirs::INTRAWAVE; };
}
template <typename Theirs> constexpr bool hasWordOf(ConvSpecialization) {
  return requires { Theirs::FILTER_1X1_PAD0; };
}
template <typename Theirs> constexpr bool hasWordOf(StreamKReductionStrategy) {
  return requires { Theirs::TREE; };
}

/// Whether \p Theirs is \p Ours, or an enumeration with its words.
template <typename Theirs, typename Ours>
concept SameWords = std::is_same_v<Theirs, Ours> ||
                    (AnyNumberEnum<Theirs> && hasWordOf<Theirs>(Ours{}));

/// Our enumerators by the numbers of another enumeration; MaxEnumerator: none.
template <typename Theirs, Enumeration Ours> struct EnumTranslation {
  unsigned char Numbers[MaxEnumerator] = {};

  constexpr EnumTranslation() {
    for (std::size_t Number = 0; Number < MaxEnumerator; ++Number) {
      Ours Found{};
      bool Has = valueOf(WordsOf<Theirs>.Words[Number], Found);
      Numbers[Number] = Has ? static_cast<unsigned char>(Found) : MaxEnumerator;
    }
  }
};

template <typename Theirs, typename Ours>
inline constexpr EnumTranslation<Theirs, Ours> TranslationOf{};

/// The namesake of \p Value. False, with \p Out untouched, where it has none.
template <typename Theirs, typename Ours>
  requires SameWords<Theirs, Ours>
constexpr bool translate(Theirs Value, Ours &Out) {
  auto Number = static_cast<unsigned long long>(Value);
  if constexpr (!std::is_same_v<Theirs, Ours>) {
    if (Number >= MaxEnumerator)
      return false;
    Number = TranslationOf<Theirs, Ours>.Numbers[Number];
  }
  if (Number >= EnumCount<Ours>)
    return false;
  Out = static_cast<Ours>(Number);
  return true;
}

} // namespace kpack::conv::detail

#endif // KPACK_CONVBUILDER_FOREIGNENUMS_H
