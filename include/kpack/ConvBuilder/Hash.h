//===- kpack/ConvBuilder/Hash.h - hashes of descriptors ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 64-bit hash of a Signature, an Algorithm or another struct of Fields.h,
// equal in every compiler, at compile time and at run time. Names of kernels
// contain it. It does not protect against deliberate collisions: the cache's
// keys (lib/Jit/Store/) hash the whole text of the kernel.
//
// Hash results of resolve(): {data_type=FP16} and three tensors with FP16 are
// one convolution, but different values until they are resolved.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_HASH_H
#define KPACK_CONVBUILDER_HASH_H

#include "kpack/ConvBuilder/Fields.h"

#include <cstdint>

namespace kpack::conv {

/// Hashes a sequence of numbers.
class Hasher {
public:
  constexpr void add(std::uint32_t Word) {
    State = (State ^ Word) * 0x9E3779B97F4A7C15u;
    State ^= State >> 29;
  }
  /// Mixes the state, so that every bit depends on all numbers.
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

/// Hashes all fields of \p Value.
template <Fielded Type> constexpr std::uint64_t hashOf(const Type &Value) {
  Hasher H;
  H.add(SchemaVersion);
  addTo(H, Value);
  return H.finish();
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_HASH_H
