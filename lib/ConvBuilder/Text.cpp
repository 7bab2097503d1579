//===- Text.cpp - texts at run time ---------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack/ConvBuilder/Text.h for programs: std::string out, Result in.
//
//===----------------------------------------------------------------------===//
#include "Errors.h"

using namespace kpack;
using namespace kpack::conv;

template <Described T> Result<T> conv::parse(std::string_view Text) {
  T Value;
  TextError Error = parseText(Text, Value);
  if (Error.failed())
    return failure<T>(Error);
  return Value;
}

template <Described T> std::string conv::text(const T &Value, TextForm Form) {
  return std::string(textOf(Value, Form).view());
}

template Result<Signature> conv::parse(std::string_view);
template Result<Algorithm> conv::parse(std::string_view);
template Result<Problem> conv::parse(std::string_view);
template std::string conv::text(const Signature &, TextForm);
template std::string conv::text(const Algorithm &, TextForm);
template std::string conv::text(const Problem &, TextForm);
