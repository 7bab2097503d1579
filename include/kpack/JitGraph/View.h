//===- kpack/JitGraph/View.h - strided view of an output --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view of a graph's output. Extents are those of the last call; strides, in
// elements, are those of the largest call, for which the memory was laid out:
// rows of a smaller call are not adjacent.
//
//   View<const float> Y = G->io().encoded; // [4, 200, 144] of [8, 750, 144]
//   Y(3, 199, 0)
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_VIEW_H
#define KPACK_JITGRAPH_VIEW_H

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kpack::jit {

/// At least the rank of every operation.
constexpr size_t MaxRank = 8;

template <typename Item> class View {
public:
  View() = default;
  /// Extents and strides have the same rank, at most MaxRank. Does not own \p
  /// Data.
  View(Item *Data, std::span<const int64_t> Extents,
       std::span<const int64_t> Strides)
      : First(Data), Rank(Extents.size()) {
    assert(Rank <= MaxRank && Rank == Strides.size());
    for (size_t I = 0; I < Rank; ++I) {
      TheExtents[I] = Extents[I];
      TheStrides[I] = Strides[I];
    }
  }

  Item *data() const { return First; }
  size_t rank() const { return Rank; }
  std::span<const int64_t> extents() const {
    return std::span(TheExtents).first(Rank);
  }
  std::span<const int64_t> strides() const {
    return std::span(TheStrides).first(Rank);
  }

  /// Returns the number of elements.
  int64_t size() const {
    int64_t Product = 1;
    for (int64_t Extent : extents())
      Product *= Extent;
    return Product;
  }

  /// True if the elements are adjacent and in order.
  bool isContiguous() const {
    int64_t Expected = 1;
    for (size_t I = Rank; I-- > 0; Expected *= TheExtents[I])
      if (TheExtents[I] != 1 && TheStrides[I] != Expected)
        return false;
    return true;
  }

  template <std::integral... Index> Item &operator()(Index... Indices) const {
    assert(sizeof...(Indices) == Rank);
    size_t Dimension = 0;
    int64_t Offset = 0;
    ((Offset += static_cast<int64_t>(Indices) * TheStrides[Dimension++]), ...);
    return First[Offset];
  }

private:
  Item *First = nullptr;
  size_t Rank = 0;
  std::array<int64_t, MaxRank> TheExtents = {};
  std::array<int64_t, MaxRank> TheStrides = {};
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_VIEW_H
