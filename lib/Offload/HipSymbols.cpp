//===- HipSymbols.cpp - names clang gives HIP code ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbols have a hash after their prefix. clang prints it without leading
// zeros, so names are parsed and printed as numbers.
//
//===----------------------------------------------------------------------===//
#include "Offload/HipSymbols.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace kpack::offload {

Expected<std::vector<uint64_t>> findWrappers(StringRef Section) {
  constexpr uint64_t Alignment = 8;
  if (Section.size() % Alignment != 0)
    return createStringError("size " + Twine(Section.size()) +
                             " is not a multiple of " + Twine(Alignment));
  std::vector<uint64_t> Offsets;
  for (uint64_t At = 0; At != Section.size();) {
    if (support::endian::read64le(Section.data() + At) == 0) {
      At += Alignment;
      continue;
    }
    if (Section.size() - At < WrapperSize)
      return createStringError("the wrapper at offset " + Twine(At) +
                               " is cut off");
    Offsets.push_back(At);
    At += WrapperSize;
  }
  return std::move(Offsets);
}

std::optional<uint64_t> parseTokenSymbol(StringRef Name, StringRef Prefix) {
  if (!Name.consume_front(Prefix) || !Name.consume_front("_"))
    return std::nullopt;
  if (Name.empty() || Name.size() > 16 || !all_of(Name, isHexDigit))
    return std::nullopt;
  uint64_t Token = 0;
  if (Name.getAsInteger(16, Token))
    return std::nullopt;
  return Token;
}

std::string tokenSymbol(StringRef Prefix, uint64_t Token) {
  return (Prefix + "_").str() + utohexstr(Token, /*LowerCase=*/true);
}

std::string hex16(uint64_t Number) {
  std::string Digits = utohexstr(Number, /*LowerCase=*/true);
  return std::string(16 - Digits.size(), '0') + Digits;
}

} // namespace kpack::offload
