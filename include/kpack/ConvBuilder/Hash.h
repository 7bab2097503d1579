//===- kpack/ConvBuilder/Hash.h - a number for a value ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 64 bits of a Signature, an Algorithm or another struct of Fields.h, the same
// in every compiler, at compile time and at run time. Names of kernels have it.
// It is no protection against collisions made on purpose: the cache's keys
// (lib/Jit/Store/) hash the whole text of the kernel.
//
// Hash what resolve() has made: {data_type=FP16} and three tensors that say
// FP16 each are one convolution, but two values until then.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_HASH_H
#define KPACK_CONVBUILDER_HASH_H

#include "kpack/ConvBuilder/Fields.h"

#include <cstdint>

namespace kpack::conv {

/// Takes numbers one after the other.
class Hasher {
public:
  constexpr void add(std::uint32_t Number) {
    State = (State ^ Number) * 0x9E3779B97F4A7C15u;
    State ^= State >> 29;
  }
  /// All bits depend on all that was added.
  constexpr std::uint64_t finish() const {
    std::uint64_t Hash = State * 0xBF58476D1CE4E5B9u;
    Hash ^= Hash >> 32;
    Hash *= 0x94D049BB133111EBu;
    return Hash ^ Hash >> 29;
  }

private:
  std::uint64_t State = 0x6B7061636B636F6Eu;
};

constexpr void addTo(Hasher &H, int Value) {
  H.add(static_cast<std::uint32_t>(Value));
}
constexpr void addTo(Hasher &H, long long Value) {
  H.add(static_cast<std::uint32_t>(Value));
  H.add(static_cast<std::uint32_t>(Value >> 32));
}
constexpr void addTo(Hasher &H, bool Value) { H.add(Value); }
template <Enumeration Enum> constexpr void addTo(Hasher &H, Enum Value) {
  H.add(static_cast<std::uint32_t>(Value));
}
template <typename Type>
constexpr void addTo(Hasher &H, const Optional<Type> &Value);
template <typename Type, unsigned Capacity>
constexpr void addTo(Hasher &H, const List<Type, Capacity> &Values);
template <Fielded Type> constexpr void addTo(Hasher &H, const Type &Value);

template <typename Type>
constexpr void addTo(Hasher &H, const Optional<Type> &Value) {
  H.add(Value.has());
  if (Value)
    addTo(H, *Value);
}

template <typename Type, unsigned Capacity>
constexpr void addTo(Hasher &H, const List<Type, Capacity> &Values) {
  H.add(Values.size());
  for (const Type &Value : Values)
    addTo(H, Value);
}

template <Fielded Type> constexpr void addTo(Hasher &H, const Type &Value) {
  forEachField<Type>(
      [&](auto Member, const Field &) { addTo(H, Value.*Member); });
}

/// Of all fields of \p Value.
template <Fielded Type> constexpr std::uint64_t hashOf(const Type &Value) {
  Hasher H;
  H.add(SchemaVersion);
  addTo(H, Value);
  return H.finish();
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_HASH_H
