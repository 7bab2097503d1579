//===- OpcodeNames.h - mnemonics that differ in a prefix --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// global_load_b32, flat_load_b32, scratch_load_b32 and buffer_load_b32 are one
// row of a table, MemoryTable.h. The compiler puts the names together.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_OPCODENAMES_H
#define KPACK_LIB_SOFTGPU_MACHINE_OPCODENAMES_H

#include "Opcodes.h"
#include <algorithm>
#include <array>
#include <cstddef>

namespace kpack::softgpu {

/// A string as a template argument.
template <size_t Size> struct NamePart {
  char Text[Size] = {};
  consteval NamePart(const char (&From)[Size]) {
    std::copy_n(From, Size, Text);
  }
};

template <NamePart Prefix, NamePart Rest>
inline constexpr auto JoinedName = [] {
  std::array<char, sizeof Prefix.Text + sizeof Rest.Text - 1> Result{};
  char *End = std::copy_n(Prefix.Text, sizeof Prefix.Text - 1, Result.data());
  std::copy_n(Rest.Text, sizeof Rest.Text, End);
  return Result;
}();

template <NamePart Prefix, NamePart Rest>
inline constexpr const char *Name = JoinedName<Prefix, Rest>.data();

/// One table of several.
template <size_t... Sizes>
constexpr auto joinTables(const std::array<OpcodeInfo, Sizes> &...Tables) {
  std::array<OpcodeInfo, (Sizes + ...)> Result{};
  OpcodeInfo *End = Result.data();
  ((End = std::copy_n(Tables.data(), Sizes, End)), ...);
  return Result;
}

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_OPCODENAMES_H
