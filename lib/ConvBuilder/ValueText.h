//===- ValueText.h - the text of a part -------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands behind the = in a short text: of a number, an enumerator, a list,
// a struct.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_VALUETEXT_H
#define KPACK_LIB_CONVBUILDER_VALUETEXT_H

#include "kpack/ConvBuilder/Text.h"

#include <string>

namespace kpack::conv {

template <typename T> std::string valueText(const T &Value) {
  std::string Text(MaxText, '\0');
  TextOut Out(Text.data(), Text.size());
  print(Out, Value, TextForm::Short);
  Text.resize(Out.size());
  return Text;
}

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_VALUETEXT_H
