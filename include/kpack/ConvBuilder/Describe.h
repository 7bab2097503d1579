//===- Describe.h - descriptors as text, JSON and C++ -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads, prints, explains and compares a Signature or an Algorithm at run time,
// as text, as JSON and as C++. The text is that of Text.h, which works in
// constant expressions; here it is a std::string or a Result.
//
//   Result<Signature> Sig = parse<Signature>("{spatial_dim=2,data_type=FP16}");
//   describe(*Sig)            "spatial_dim 2, FP16"
//   diff(*Sig, Other)         signature.data_type: FP16 -> BF16
//   fromJson<Signature>(toJson(*Sig))     the same value
//   cxxText(*Sig)             Signature{.spatial_dim = 2, ...}
//
// All functions walk over the lists of Fields.h and know no struct. Sibling:
// FieldTable.h, a table of the fields and enumerators.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_DESCRIBE_H
#define KPACK_CONVBUILDER_DESCRIBE_H

#include "kpack/ConvBuilder/Problem.h"
#include "kpack/ConvBuilder/Text.h"
#include "kpack/Support/Status.h"

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace kpack::conv {

/// Types with a text form.
template <typename Type>
concept Described =
    std::same_as<Type, Signature> || std::same_as<Type, Algorithm> ||
    std::same_as<Type, Problem>;

/// The name of the object in messages and paths.
template <Described Type>
inline constexpr std::string_view ObjectName =
    std::same_as<Type, Signature>   ? "signature"
    : std::same_as<Type, Algorithm> ? "algorithm"
                                    : "problem";

/// A field that differs, or a part or an element that only one value has.
struct Difference {
  std::string Path; ///< "algorithm.tile.k", "signature.output.operation"
  std::string Old;  ///< as in texts; "absent" for an absent part
  std::string New;

  /// "algorithm.tile.k: 32 -> 64"
  std::string text() const { return Path + ": " + Old + " -> " + New; }
};

namespace detail {

// Functions of the library. Their templates have no constraints: not all
// compilers encode constraints in the names of symbols, and the caller's
// compiler may be another one.
template <typename Type> Result<Type> parse(std::string_view Text);
template <typename Type> std::string text(const Type &Value, TextForm Form);
template <typename Type> std::string describe(const Type &Value);
template <typename Type>
std::string describeTree(const Type &Value, TextForm Form);
template <typename Type>
std::vector<Difference> diff(const Type &Old, const Type &New);
template <typename Type> std::string toJson(const Type &Value, TextForm Form);
template <typename Type>
TextError parseJson(std::string_view Json, Type &Value);
template <typename Type> Result<Type> fromJson(std::string_view Json);
template <typename Type> std::string cxxText(const Type &Value);

} // namespace detail

/// Parses a short or full text. Errors: InvalidFormat, "<object>: at OFFSET:
/// ...".
template <Described Type> Result<Type> parse(std::string_view Text) {
  return detail::parse<Type>(Text);
}

/// Prints a text that parse() reads.
template <Described Type>
std::string text(const Type &Value, TextForm Form = TextForm::Short) {
  return detail::text(Value, Form);
}

/// Lists the differences from the default in one line, for people.
template <Described Type> std::string describe(const Type &Value) {
  return detail::describe(Value);
}

/// Prints a line for each field: its name, the value with its unit, and its
/// meaning. Full includes fields with their default, and absent parts.
template <Described Type>
std::string describeTree(const Type &Value, TextForm Form = TextForm::Short) {
  return detail::describeTree(Value, Form);
}

/// Lists differing fields in their order; empty if the values are equal.
template <Described Type>
std::vector<Difference> diff(const Type &Old, const Type &New) {
  return detail::diff(Old, New);
}

/// Prints an object whose members are the fields: numbers, names of
/// enumerators, true and false, arrays. Omits absent parts.
template <Described Type>
std::string toJson(const Type &Value, TextForm Form = TextForm::Short) {
  return detail::toJson(Value, Form);
}

/// The maximal bytes of JSON: those of a text with much white space in it.
inline constexpr std::size_t MaxJson = 16 * MaxText;

/// Like parseText() of Text.h. After an error \p Value is unspecified.
template <Described Type>
TextError parseJson(std::string_view Json, Type &Value) {
  return detail::parseJson(Json, Value);
}

/// Parses the output of toJson(). Errors: those of parse().
template <Described Type> Result<Type> fromJson(std::string_view Json) {
  return detail::fromJson<Type>(Json);
}

/// Prints the value as C++ for code with `using namespace kpack::conv`:
/// designated initialisers of members that differ from the default, one line
/// for each member of the outermost struct.
template <Described Type> std::string cxxText(const Type &Value) {
  return detail::cxxText(Value);
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_DESCRIBE_H
