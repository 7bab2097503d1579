//===- CompileTimeError.h - compile errors with computed text ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stops a compilation with a computed text:
//
//   template <auto Value> inline constexpr auto ReportOf = report(Value);
//   template <auto Value> void use() { requireEmpty<ReportOf<Value>>(); }
//
//   error: static assertion failed due to ...: [S3] signature.input: ...
//
// The first line with "error:" contains the whole text. Compilers without
// computed static_assert messages print it in the name of a type,
//   ConvBuilderError<ErrorText<9>{"[S3] ..."}>
// which g++ before 14 prints completely; clang before 20 truncates it. Call
// requireEmpty() in the body of a function: in a requires clause the compiler
// would only report "no matching function".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_COMPILETIMEERROR_H
#define KPACK_CONVBUILDER_COMPILETIMEERROR_H

#include <cstddef>
#include <string_view>

namespace kpack::conv {

/// A text as a template argument, without unused characters at its end, which
/// compilers would print.
template <std::size_t Length> struct ErrorText {
  char Chars[Length + 1] = {};

  constexpr explicit ErrorText(std::string_view Text) {
    for (std::size_t Index = 0; Index < Length; ++Index)
      Chars[Index] = Text[Index];
  }
  constexpr std::size_t size() const { return Length; }
  constexpr const char *data() const { return Chars; }
};

/// Never defined; its name is the message.
template <ErrorText Message> struct ConvBuilderError;

/// Stops the compilation unless \p Report, a constant with a view(), is empty.
template <const auto &Report> constexpr void requireEmpty() {
  constexpr std::string_view Text = Report.view();
  if constexpr (!Text.empty()) {
    constexpr ErrorText<Text.size()> Message(Text);
#if defined(__clang__) ? __clang_major__ >= 20 : __GNUC__ >= 14
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wc++26-extensions"
    static_assert(Message.size() == 0, Message);
#pragma GCC diagnostic pop
#else
    static_assert(sizeof(ConvBuilderError<Message>) == 0);
#endif
  }
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_COMPILETIMEERROR_H
