//===- TracedTest.h - fixture: a graph that a test builds -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test with a graph of its own, to which it adds inputs, operations and
// outputs, as Graph::prepare() does for an interface. Without one, a test says
// in a line what it is about.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_JITGRAPH_TRACEDTEST_H
#define KPACK_UNITTESTS_JITGRAPH_TRACEDTEST_H

#include "kpack/JitGraph/OpGraph.h"
#include "kpack/JitGraph/Ops.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kpack::jit {

class TracedTest : public testing::Test {
protected:
  Dim variable(const char *Name, int64_t Lo, int64_t Hi) {
    return *G.dims().variable(Name, {Lo, Hi});
  }
  Dim number(int64_t N) { return G.dims().constant(N); }
  template <typename T = float>
  Tensor<T> input(const char *Name, std::vector<Dim> Shape) {
    return Tensor<T>(&G, G.addInput({Name, ElementTypeOf<T>::Value, Shape}));
  }
  void output(const TensorRef &X) {
    ASSERT_TRUE(G.status().ok()) << G.status().message();
    G.addOutput("y" + std::to_string(G.outputs().size()), X.id());
  }

  OpGraph G;
};

} // namespace kpack::jit

#endif // KPACK_UNITTESTS_JITGRAPH_TRACEDTEST_H
