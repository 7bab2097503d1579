//===- Numbers.h - numbers out of text --------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without the locale, which is the program's, and with nothing around the
// digits. Where LLVM is, StringRef::getAsInteger() does the same.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_NUMBERS_H
#define KPACK_SUPPORT_NUMBERS_H

#include <charconv>
#include <optional>
#include <string_view>

namespace kpack {

/// The number that all of \p Text is; nothing for other text, and for what does
/// not fit. \p Format is as of std::from_chars(): a base, for example.
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
