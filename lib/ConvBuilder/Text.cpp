//===- Text.cpp - descriptors as one line of text -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Run time functions of kpack/ConvBuilder/Text.h, with std::string and Result.
//
//===----------------------------------------------------------------------===//
#include "AnyValue.h"
#include "ReadFailure.h"

using namespace kpack;
using namespace kpack::conv;

template <typename T> Result<T> conv::detail::parse(std::string_view Text) {
  T Value;
  TextError Error = parseText(Text, Value);
  if (Error.failed())
    return failure<T>(Error);
  return Value;
}

template <typename T>
std::string conv::detail::text(const T &Value, TextForm Form) {
  return textOf(AnyValue(Value), Form);
}

template Result<Signature> conv::detail::parse(std::string_view);
template Result<Algorithm> conv::detail::parse(std::string_view);
template Result<Problem> conv::detail::parse(std::string_view);
template std::string conv::detail::text(const Signature &, TextForm);
template std::string conv::detail::text(const Algorithm &, TextForm);
template std::string conv::detail::text(const Problem &, TextForm);
