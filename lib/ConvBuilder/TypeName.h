//===- TypeName.h - names of types in C++ -----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The name of a struct or an enumeration of kpack::conv, without the namespace:
// typeName<MNK>() is "MNK". The compiler's name of a template instance contains
// it; a list of names would have to be kept up to date.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TYPENAME_H
#define KPACK_LIB_CONVBUILDER_TYPENAME_H

#include <string_view>

namespace kpack::conv {

template <typename T> constexpr std::string_view typeName() {
  // clang: "... [T = kpack::conv::MNK]"; GCC has more after a semicolon.
  std::string_view Name = __PRETTY_FUNCTION__;
  Name.remove_prefix(Name.find("T = ") + 4);
  Name = Name.substr(0, Name.find_first_of("];"));
  return Name.substr(Name.rfind(':') + 1);
}

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TYPENAME_H
