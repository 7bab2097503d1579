//===- kpack/ConvBuilder/Describe.h - values for people ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Signature or an Algorithm at run time: read and printed, explained,
// compared, as JSON, as C++. The text is that of Text.h, which runs while
// compiling; here it comes as std::string and Result.
//
//   Result<Signature> Sig = parse<Signature>("{spatial_dim=2,data_type=FP16}");
//   describe(*Sig)            "spatial_dim 2, FP16"
//   diff(*Sig, Other)         signature.data_type: FP16 -> BF16
//   fromJson<Signature>(toJson(*Sig))     the same value
//   cxxText(*Sig)             Signature{.spatial_dim = 2, ...}
//
// All of it walks over the lists of Fields.h and knows no struct. Sibling:
// FieldTable.h, which fields and enumerators there are.
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

/// What has a text of its own.
template <typename Type>
concept Described =
    std::same_as<Type, Signature> || std::same_as<Type, Algorithm> ||
    std::same_as<Type, Problem>;

/// What messages and paths call it.
template <Described Type>
inline constexpr std::string_view ObjectName =
    std::same_as<Type, Signature>   ? "signature"
    : std::same_as<Type, Algorithm> ? "algorithm"
                                    : "problem";

/// One field of two values, or a part or an element that only one of them has.
struct Difference {
  std::string Path; ///< "algorithm.tile.k", "signature.output.operation"
  std::string Old;  ///< as in texts; "absent" where it is
  std::string New;

  /// "algorithm.tile.k: 32 -> 64"
  std::string text() const { return Path + ": " + Old + " -> " + New; }
};

namespace detail {

// What the library has. Its templates have no constraints: not all compilers
// write these into the names of symbols, and callers may have another one.
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

/// The value of \p Text, short or full. Errors are InvalidFormat:
/// "<object>: at OFFSET: ...".
template <Described Type> Result<Type> parse(std::string_view Text) {
  return detail::parse<Type>(Text);
}

/// What parse() reads.
template <Described Type>
std::string text(const Type &Value, TextForm Form = TextForm::Short) {
  return detail::text(Value, Form);
}

/// What differs from the default, in one line for people.
template <Described Type> std::string describe(const Type &Value) {
  return detail::describe(Value);
}

/// A line for each field: its name, the value with its unit, what it means.
/// Full has the fields that have their default, and parts that are absent, too.
template <Described Type>
std::string describeTree(const Type &Value, TextForm Form = TextForm::Short) {
  return detail::describeTree(Value, Form);
}

/// In the order of fields; empty where the values are equal.
template <Described Type>
std::vector<Difference> diff(const Type &Old, const Type &New) {
  return detail::diff(Old, New);
}

/// An object whose members are the fields; numbers, names of enumerators, true
/// and false, arrays. Absent parts are left out.
template <Described Type>
std::string toJson(const Type &Value, TextForm Form = TextForm::Short) {
  return detail::toJson(Value, Form);
}

/// Bytes that JSON may have: a text, with any amount of white space in it.
inline constexpr std::size_t MaxJson = 16 * MaxText;

/// As parseText() of Text.h. Where there is an error, \p Value is anything.
template <Described Type>
TextError parseJson(std::string_view Json, Type &Value) {
  return detail::parseJson(Json, Value);
}

/// The value of what toJson() makes. Errors as of parse().
template <Described Type> Result<Type> fromJson(std::string_view Json) {
  return detail::fromJson<Type>(Json);
}

/// The value as C++ that compiles to it where `using namespace kpack::conv` is
/// in force: designated initialisers of what differs from the default, a line
/// for each member of the outermost struct.
template <Described Type> std::string cxxText(const Type &Value) {
  return detail::cxxText(Value);
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_DESCRIBE_H
