//===- OpcodeNames.h - mnemonics composed of parts --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// global_load_b32, flat_load_b32, scratch_load_b32 and buffer_load_b32 are one
// row of a table, MemoryTable.h; so are ds_and_b32, ds_and_rtn_b32 and their
// 64-bit forms, LdsAtomics.cpp. The compiler concatenates the names.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_OPCODENAMES_H
#define KPACK_LIB_SOFTGPU_MACHINE_OPCODENAMES_H

#include "Opcodes.h"
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace kpack::softgpu {

/// A string as a template argument.
template <size_t Size> struct NamePart {
  char Text[Size] = {};
  consteval NamePart(const char (&From)[Size]) {
    std::copy_n(From, Size, Text);
  }
};

/// The text of Name. If a part has blanks, each of its words is joined with the
/// other parts: "ds_" + "read load" is "ds_read ds_load".
template <NamePart... Parts>
inline constexpr auto JoinedName = [] {
  constexpr auto Blanks = [](std::string_view Part) {
    return size_t(std::count(Part.begin(), Part.end(), ' '));
  };
  constexpr size_t WordCount = 1 + (Blanks(Parts.Text) + ...);
  constexpr size_t Chars =
      (((sizeof Parts.Text - 1) * (Blanks(Parts.Text) ? 1 : WordCount)) + ...);
  static_assert(((Blanks(Parts.Text) != 0) + ...) <= 1);
  std::array<char, Chars + 1> Result{};
  char *End = Result.data();
  auto Append = [&](std::string_view Part, size_t Word) {
    if (Blanks(Part))
      for (; Word; --Word)
        Part.remove_prefix(Part.find(' ') + 1);
    Part = Part.substr(0, Part.find(' '));
    End = std::copy(Part.begin(), Part.end(), End);
  };
  for (size_t Word = 0; Word != WordCount; ++Word) {
    if (Word)
      *End++ = ' ';
    (Append(Parts.Text, Word), ...);
  }
  return Result;
}();

template <NamePart... Parts>
inline constexpr const char *Name = JoinedName<Parts...>.data();

/// Concatenates tables.
template <size_t... Sizes>
constexpr auto joinTables(const std::array<OpcodeInfo, Sizes> &...Tables) {
  std::array<OpcodeInfo, (Sizes + ...)> Result{};
  OpcodeInfo *End = Result.data();
  ((End = std::copy_n(Tables.data(), Sizes, End)), ...);
  return Result;
}

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_OPCODENAMES_H
