//===- kpack/JitGraph/TensorRef.h - tensors while a graph is built -*- C++ -*-//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number in the graph that is being built. It has no data yet, so nothing can
// be read of it: what depends on the elements belongs into the graph, not into
// an if of the function that builds it, which runs once.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_TENSORREF_H
#define KPACK_JITGRAPH_TENSORREF_H

#include "kpack/JitGraph/ElementType.h"

namespace kpack::jit {

class TensorRef {
public:
  static constexpr uint32_t None = UINT32_MAX;

  TensorRef() = default;
  TensorRef(uint32_t Id, ElementType Type) : Id(Id), Type(Type) {}

  uint32_t id() const { return Id; }
  ElementType type() const { return Type; }

private:
  uint32_t Id = None;
  ElementType Type = ElementType::Float32;
};

/// One whose element type the compiler knows.
template <Element T> class Tensor : public TensorRef {
public:
  Tensor() : Tensor(None) {}
  explicit Tensor(uint32_t Id) : TensorRef(Id, ElementTypeOf<T>::Value) {}
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_TENSORREF_H
