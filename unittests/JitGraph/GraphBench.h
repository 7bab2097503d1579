//===- GraphBench.h - graph with inputs and values for a test ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph, its inputs with numbers from a seed, and arrays that a test indexes
// as a loop would:
//
//   GraphBench B;
//   Tensor<float> X = B.input<float>("x", {B.variable("t", 1, 37), 8});
//   B.output(sum(X, 0));
//   B.run({5});
//   B.out(0)(3);  B.in(0)(4, 3);
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_JITGRAPH_GRAPHBENCH_H
#define KPACK_UNITTESTS_JITGRAPH_GRAPHBENCH_H

#include "RandomGraph.h"

#include "JitGraph/Sizes/DimProgram.h"
#include "kpack/JitGraph/Layers.h"
#include "kpack/JitGraph/Reference.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace kpack::jit {

/// Elements by index.
struct Array : ReferenceTensor {
  Array() = default;
  explicit Array(ReferenceTensor Tensor) : ReferenceTensor(std::move(Tensor)) {}

  template <typename... I> double operator()(I... Indices) const {
    size_t Axis = 0, Place = 0;
    EXPECT_EQ(sizeof...(I), Shape.size());
    ((Place = Place * static_cast<size_t>(Shape[Axis++]) +
              static_cast<size_t>(Indices)),
     ...);
    EXPECT_LT(Place, Elements.size());
    return Place < Elements.size() ? Elements[Place] : 0;
  }
};

class GraphBench {
public:
  Dim variable(const std::string &Name, int64_t Lo, int64_t Hi) {
    return *G.dims().variable(Name, {Lo, Hi});
  }

  template <typename T>
  Tensor<T> input(const std::string &Name, const Sizes &Shape) {
    std::vector<Dim> Extents;
    for (size_t I = 0; I < Shape.rank(); ++I)
      Extents.push_back(Shape[I].in(G.dims()));
    return Tensor<T>(&G, G.addInput({Name, ElementTypeOf<T>::Value, Extents}));
  }

  void output(const TensorRef &X) {
    ASSERT_TRUE(G.status().ok()) << G.status().message();
    ASSERT_NE(X.id(), TensorRef::None);
    G.addOutput("y" + std::to_string(G.outputs().size()), X.id());
  }

  /// With other values of an input than those of the seed.
  void set(size_t Input, std::vector<double> Elements) {
    Fixed.resize(std::max(Fixed.size(), Input + 1));
    Fixed[Input] = std::move(Elements);
  }

  void run(const std::vector<int64_t> &Variables) {
    In.clear();
    Out.clear();
    for (const OpInput &I : G.inputs()) {
      std::vector<int64_t> Shape;
      for (Dim D : I.Shape)
        Shape.push_back(valueOf(D, Variables));
      size_t Which = In.size();
      In.push_back(numbers(I.Type, Shape, static_cast<uint32_t>(Which) + 1));
      if (Which < Fixed.size() && !Fixed[Which].empty())
        In.back().Elements = Fixed[Which];
    }
    Result<std::vector<ReferenceTensor>> R = evaluate(G, Variables, In);
    ASSERT_TRUE(R.ok()) << R.status().message();
    for (ReferenceTensor &T : *R)
      Out.emplace_back(std::move(T));
  }

  Array in(size_t I) const { return Array(In[I]); }
  const Array &out(size_t I) const { return Out[I]; }

  OpGraph G;

private:
  std::vector<std::vector<double>> Fixed;
  std::vector<ReferenceTensor> In;
  std::vector<Array> Out;
};

/// The message of the graph's status, without the place in parentheses that the
/// last part may be.
inline std::string message(const OpGraph &G) {
  std::string Text = G.status().message();
  size_t Place = Text.rfind(" (");
  bool IsPlace = Place != std::string::npos && Text.back() == ')' &&
                 Text.find(".cpp:", Place) != std::string::npos;
  return IsPlace ? Text.substr(0, Place) : Text;
}

using Index = std::vector<int64_t>;

} // namespace kpack::jit

#endif // KPACK_UNITTESTS_JITGRAPH_GRAPHBENCH_H
