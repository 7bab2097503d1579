//===- Units.cpp - sizes and times as readable text -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes are powers of 1024 in any spelling: "10G", "10GB" and "10GiB" are
// equal. An overflow is an error: a limit that wraps to a small number would
// prune a cache. showSize() switches to the next unit at 1023.95, from which
// "%.1f" would print "1024.0 KiB". showTime() accepts every number, since times
// may come from a damaged file.
//
//===----------------------------------------------------------------------===//
#include "Units.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>

using namespace kpack;
using namespace llvm;

namespace {
struct Unit {
  StringLiteral Name;
  uint64_t Factor;
};
} // namespace

/// Parses a number and one of \p Units.
template <size_t N>
static std::optional<uint64_t> parse(StringRef Text, const Unit (&Units)[N]) {
  uint64_t Number = 0;
  if (Text.empty() || !isDigit(Text.front()) || Text.consumeInteger(10, Number))
    return std::nullopt;
  for (const Unit &U : Units)
    if (Text == U.Name) {
      bool Overflowed = false;
      uint64_t Value = SaturatingMultiply(Number, U.Factor, &Overflowed);
      return Overflowed ? std::nullopt : std::optional(Value);
    }
  return std::nullopt;
}

std::optional<uint64_t> jittool::parseSize(StringRef Text) {
  static constexpr Unit Units[] = {
      {"", 1},        {"K", 1 << 10},           {"M", 1 << 20},
      {"G", 1 << 30}, {"T", uint64_t(1) << 40},
  };
  Text.consume_back("B");
  Text.consume_back("i");
  return parse(Text, Units);
}

std::optional<uint64_t> jittool::parseDuration(StringRef Text) {
  static constexpr Unit Units[] = {{"", 1},          {"s", 1},
                                   {"m", 60},        {"h", 3600},
                                   {"d", 24 * 3600}, {"w", 7 * 24 * 3600}};
  return parse(Text, Units);
}

std::string jittool::showSize(uint64_t Bytes) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (Bytes < 1024) {
    OS << Bytes << " B";
    return Text;
  }
  double Value = double(Bytes);
  const char *Prefix = " KMGTPE";
  for (; Value >= 1023.95; Value /= 1024)
    ++Prefix;
  OS << format("%.1f ", Value) << *Prefix << "iB";
  return Text;
}

std::string jittool::showTime(uint64_t Seconds) {
  auto Time = static_cast<time_t>(Seconds);
  std::tm Parts{};
  char Text[64];
  // A time from a hostile file may have a year that does not fit.
  if (!Seconds || !::gmtime_r(&Time, &Parts) ||
      !std::strftime(Text, sizeof(Text), "%Y-%m-%d %H:%M", &Parts))
    return "-";
  return Text;
}

std::string jittool::showMilliseconds(uint64_t Milliseconds) {
  std::string Text;
  raw_string_ostream(Text) << format("%.1f s", double(Milliseconds) / 1000);
  return Text;
}

std::string jittool::showCount(uint64_t Count, StringRef One, StringRef Many) {
  std::string Plural = Many.empty() ? One.str() + "s" : Many.str();
  return std::to_string(Count) + " " + (Count == 1 ? One.str() : Plural);
}
