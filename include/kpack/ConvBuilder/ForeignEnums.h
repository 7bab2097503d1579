//===- ForeignEnums.h - enumerators translated by name ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads enumerations that are declared elsewhere with the same words, such as
// DataType in CK's namespace. Matches enumerators by name, never by number,
// because their numbers differ:
//
//   SameWords<ck_tile::builder::DataType, DataType>           true
//   translate(ck_tile::builder::DataType::FP16, Type)         true: FP16
//
// An enumerator without a namesake here is refused, and so is one with a value
// of MaxEnumerator or more: only values below are searched. Names come from the
// compiler's spelling of a function's template arguments.
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

/// Returns the last template argument in a compiler's spelling of a function.
constexpr std::string_view lastWord(std::string_view Text) {
  // g++ appends the definition of string_view to the arguments.
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

/// Returns the enumerator's name; digits if the value is no enumerator.
template <auto Enumerator> constexpr std::string_view wordOf() {
  return lastWord(__PRETTY_FUNCTION__);
}

/// The names for all values below MaxEnumerator.
template <typename Enum> struct EnumWords {
  std::string_view Words[MaxEnumerator];

  constexpr EnumWords()
      : EnumWords(std::make_index_sequence<MaxEnumerator>()) {}

  constexpr std::string_view operator[](Enum Value) const {
    auto Index = static_cast<unsigned long long>(Value);
    return Index < MaxEnumerator ? Words[Index] : std::string_view();
  }

private:
  template <std::size_t... Number>
  constexpr explicit EnumWords(std::index_sequence<Number...>)
      : Words{wordOf<static_cast<Enum>(Number)>()...} {}
};

template <typename Enum> inline constexpr EnumWords<Enum> WordsOf{};

/// An enumeration that can have any value, as a scoped one can.
template <typename Type>
concept AnyNumberEnum = std::is_enum_v<Type> && requires { Type{0}; };

/// True if another enumeration has a word that is unique among our
/// enumerations.
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

/// True if \p Theirs is \p Ours, or an enumeration with its words.
template <typename Theirs, typename Ours>
concept SameWords = std::is_same_v<Theirs, Ours> ||
                    (AnyNumberEnum<Theirs> && hasWordOf<Theirs>(Ours{}));

/// Our enumerators by the values of another enumeration; MaxEnumerator for
/// none.
template <typename Theirs, Enumeration Ours> struct EnumTranslation {
  unsigned char Numbers[MaxEnumerator] = {};

  constexpr EnumTranslation() {
    for (std::size_t Index = 0; Index < MaxEnumerator; ++Index) {
      Ours Found{};
      bool Has = valueOf(WordsOf<Theirs>.Words[Index], Found);
      Numbers[Index] = Has ? static_cast<unsigned char>(Found) : MaxEnumerator;
    }
  }
};

template <typename Theirs, typename Ours>
inline constexpr EnumTranslation<Theirs, Ours> TranslationOf{};

/// Finds the namesake of \p Value. Returns false, and leaves \p Out unchanged,
/// if there is none.
template <typename Theirs, typename Ours>
  requires SameWords<Theirs, Ours>
constexpr bool translate(Theirs Value, Ours &Out) {
  auto Code = static_cast<unsigned long long>(Value);
  if constexpr (!std::is_same_v<Theirs, Ours>) {
    if (Code >= MaxEnumerator)
      return false;
    Code = TranslationOf<Theirs, Ours>.Numbers[Code];
  }
  if (Code >= EnumCount<Ours>)
    return false;
  Out = static_cast<Ours>(Code);
  return true;
}

} // namespace kpack::conv::detail

#endif // KPACK_CONVBUILDER_FOREIGNENUMS_H
