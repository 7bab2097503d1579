//===- Numbers.h - numbers parsed from text ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Independent of the program's locale, and strict about other characters. With
// LLVM, StringRef::getAsInteger() does the same.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_NUMBERS_H
#define KPACK_SUPPORT_NUMBERS_H

#include <charconv>
#include <optional>
#include <string_view>

namespace kpack {

/// Parses all of \p Text; nullopt for other text and on overflow. \p Format is
/// passed to std::from_chars(), for example a base.
template <typename T, typename... Formats>
std::optional<T> parseNumber(std::string_view Text, Formats... Format) {
  T Value{};
  const char *End = Text.data() + Text.size();
  auto Read = std::from_chars(Text.data(), End, Value, Format...);
  if (Read.ec != std::errc() || Read.ptr != End)
    return std::nullopt;
  return Value;
}

} // namespace kpack

#endif // KPACK_SUPPORT_NUMBERS_H
