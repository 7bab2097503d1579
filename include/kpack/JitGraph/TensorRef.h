//===- JitGraph/TensorRef.h - tensor handles in build functions -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node of the graph that is being built. It has no data yet, so no elements
// can be read: code that depends on elements belongs into the graph, not into
// an if of the build function, which runs once.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_TENSORREF_H
#define KPACK_JITGRAPH_TENSORREF_H

#include "kpack/JitGraph/ElementType.h"

#include <type_traits>

namespace kpack::jit {

class OpGraph;

class TensorRef {
public:
  static constexpr uint32_t None = UINT32_MAX;

  TensorRef() = default;
  TensorRef(OpGraph *Graph, uint32_t Id, ElementType Type)
      : Owner(Graph), Id(Id), Type(Type) {}

  /// None for the result of a mistake, which OpGraph::status() reports.
  uint32_t id() const { return Id; }
  ElementType type() const { return Type; }
  /// Null for a tensor that is not initialized.
  OpGraph *graph() const { return Owner; }

  template <typename Dependent = void> explicit operator bool() const {
    static_assert(!std::is_void_v<Dependent>,
                  "a tensor has no value while its graph is built; choose "
                  "between elements by where()");
    return false;
  }

private:
  OpGraph *Owner = nullptr;
  uint32_t Id = None;
  ElementType Type = ElementType::Float32;
};

/// A tensor whose element type the compiler knows.
template <Element Item> class Tensor : public TensorRef {
public:
  Tensor() : Tensor(nullptr, None) {}
  Tensor(OpGraph *Graph, uint32_t Id)
      : TensorRef(Graph, Id, ElementTypeOf<Item>::Value) {}
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_TENSORREF_H
