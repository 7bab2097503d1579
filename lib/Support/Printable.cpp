//===- Printable.cpp - untrusted text on terminals ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has a table instead of LLVM's, since libkpack_hip.so prints such text too.
// The table omits the visible characters of Unicode's Cf, such as U+06DD, which
// encloses a number.
//
//===----------------------------------------------------------------------===//
#include "Support/Printable.h"

#include "kpack/Support/Json.h"

#include <cstdint>

using namespace kpack;

/// Decodes UTF-8; \p Length is the length of the character.
static uint32_t decodeCharacter(std::string_view Text, size_t Length) {
  auto C = static_cast<unsigned char>(Text[0]);
  // The first byte begins with as many ones as there are bytes.
  uint32_t Value = Length == 1 ? C : C & (0xffu >> (Length + 1));
  for (size_t I = 1; I != Length; ++I)
    Value = Value << 6 | (static_cast<unsigned char>(Text[I]) & 0x3fu);
  return Value;
}

static bool isShown(uint32_t Character) {
  struct Range {
    uint32_t First, Last;
  };
  static constexpr Range Hidden[] = {
      {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},
      {0x61c, 0x61c},     {0x70f, 0x70f},     {0x180e, 0x180e},
      {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
      {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x1bca0, 0x1bca3},
      {0x1d173, 0x1d17a}, {0xe0001, 0xe0001}, {0xe0020, 0xe007f},
  };
  for (const Range &Each : Hidden)
    if (Character >= Each.First && Character <= Each.Last)
      return false;
  return true;
}

static std::string escaped(std::string_view Bytes) {
  static constexpr char Digits[] = "0123456789abcdef";
  std::string Result;
  for (char C : Bytes)
    Result += {'\\', 'x', Digits[(C >> 4) & 15], Digits[C & 15]};
  return Result;
}

std::string kpack::printable(std::string_view Text) {
  std::string Result;
  bool Utf8 = isUtf8(Text);
  while (!Text.empty()) {
    size_t Length = Utf8 ? utf8Length(Text) : 1;
    std::string_view One = Text.substr(0, Length);
    bool IsKnown = Utf8 || static_cast<unsigned char>(Text[0]) < 0x80;
    Result += IsKnown && isShown(decodeCharacter(One, Length))
                  ? std::string(One)
                  : escaped(One);
    Text.remove_prefix(Length);
  }
  return Result;
}

std::string kpack::printableLines(std::string_view Text) {
  std::string Result;
  for (size_t End; (End = Text.find('\n')) != std::string_view::npos;) {
    Result += printable(Text.substr(0, End)) + "\n";
    Text.remove_prefix(End + 1);
  }
  return Result + printable(Text);
}
