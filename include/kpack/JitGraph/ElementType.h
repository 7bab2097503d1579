//===- kpack/JitGraph/ElementType.h - element types of tensors --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of graphs: as C++ types in interfaces, and as numbers in
// the library. C++20 has no 16-bit type that every compiler supports, so
// float16 and bfloat16 are bits here: a host program moves them, kernels
// compute with them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_ELEMENTTYPE_H
#define KPACK_JITGRAPH_ELEMENTTYPE_H

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kpack::jit {

/// IEEE 754's binary16.
struct float16 {
  uint16_t Bits;
};

/// The upper half of a float.
struct bfloat16 {
  uint16_t Bits;
};

enum class ElementType : uint8_t {
  Float32,
  Float16,
  BFloat16,
  Int32,
  Int64,
  UInt8,
  Bool,
};

constexpr std::string_view nameOf(ElementType Type) {
  constexpr std::string_view Names[] = {
      "float", "float16", "bfloat16", "int32_t", "int64_t", "uint8_t", "bool"};
  return Names[static_cast<size_t>(Type)];
}

constexpr size_t sizeOf(ElementType Type) {
  constexpr size_t Sizes[] = {4, 2, 2, 4, 8, 1, 1};
  return Sizes[static_cast<size_t>(Type)];
}

/// The ElementType of \p Item as Value, if it is one.
template <typename Item> struct ElementTypeOf;
template <ElementType Type> struct ElementTypeConstant {
  static constexpr ElementType Value = Type;
};
template <>
struct ElementTypeOf<float> : ElementTypeConstant<ElementType::Float32> {};
template <>
struct ElementTypeOf<float16> : ElementTypeConstant<ElementType::Float16> {};
template <>
struct ElementTypeOf<bfloat16> : ElementTypeConstant<ElementType::BFloat16> {};
template <>
struct ElementTypeOf<int32_t> : ElementTypeConstant<ElementType::Int32> {};
template <>
struct ElementTypeOf<int64_t> : ElementTypeConstant<ElementType::Int64> {};
template <>
struct ElementTypeOf<uint8_t> : ElementTypeConstant<ElementType::UInt8> {};
template <>
struct ElementTypeOf<bool> : ElementTypeConstant<ElementType::Bool> {};

template <typename Item>
concept Element = requires { ElementTypeOf<Item>::Value; };

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_ELEMENTTYPE_H
