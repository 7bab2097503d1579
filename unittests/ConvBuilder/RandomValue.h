//===- RandomValue.h - random descriptors, mostly invalid -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values whose fields are anything that they can be, each by itself: most of
// them describe no convolution. For what has to hold for every value.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_RANDOMVALUE_H
#define KPACK_UNITTESTS_CONVBUILDER_RANDOMVALUE_H

#include "kpack/ConvBuilder/Fields.h"

#include <random>

namespace kpack::conv {

class RandomValue {
public:
  explicit RandomValue(unsigned Seed) : Random(Seed) {}

  template <typename T> T make() {
    T Value;
    fill(Value, Field{});
    return Value;
  }

private:
  int below(int End) {
    return std::uniform_int_distribution<int>(0, End - 1)(Random);
  }

  void fill(bool &Value, const Field &) { Value = below(2); }
  /// Often the ends, often the default, else small.
  void fill(int &Value, const Field &F) {
    int Choices[] = {F.Min, F.Max, F.Min + below(F.Max - F.Min + 1),
                     F.Min + below(std::min(F.Max - F.Min, 64) + 1)};
    Value = Choices[below(4)];
  }
  void fill(long long &Value, const Field &) {
    Value = static_cast<long long>(below(1 << 24)) << below(25);
  }
  template <Enumeration Enum> void fill(Enum &Value, const Field &) {
    Value = static_cast<Enum>(below(EnumCount<Enum>));
  }
  template <typename T> void fill(Optional<T> &Value, const Field &F) {
    if (below(2))
      fill(Value.make(), F);
  }
  template <typename T, unsigned N>
  void fill(List<T, N> &Values, const Field &F) {
    for (int Left = below(N + 1); Left; --Left) {
      T Value{};
      fill(Value, F);
      Values.push(Value);
    }
  }
  template <Fielded T> void fill(T &Value, const Field &) {
    forEachField<T>(
        [&](auto Member, const Field &F) { fill(Value.*Member, F); });
  }

  std::mt19937 Random;
};

/// A value with everything that a text can have: each part, full lists, the
/// largest numbers, the longest names.
class LongestValue {
public:
  template <typename T> static T make() {
    T Value;
    fill(Value, Field{});
    return Value;
  }

private:
  static void fill(bool &Value, const Field &) { Value = true; }
  static void fill(int &Value, const Field &F) { Value = F.Max; }
  static void fill(long long &Value, const Field &) { Value = 1ll << 48; }
  template <Enumeration Enum> static void fill(Enum &Value, const Field &) {
    for (std::size_t I = 0; I < EnumCount<Enum>; ++I)
      if (nameOf(static_cast<Enum>(I)).size() > nameOf(Value).size())
        Value = static_cast<Enum>(I);
  }
  template <typename T> static void fill(Optional<T> &Value, const Field &F) {
    fill(Value.make(), F);
  }
  template <typename T, unsigned N>
  static void fill(List<T, N> &Values, const Field &F) {
    while (Values.size() < N) {
      T Value{};
      fill(Value, F);
      Values.push(Value);
    }
  }
  template <Fielded T> static void fill(T &Value, const Field &) {
    forEachField<T>(
        [&](auto Member, const Field &F) { fill(Value.*Member, F); });
  }
};

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_RANDOMVALUE_H
