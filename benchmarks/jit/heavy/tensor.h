//===- tensor.h - compile-time tiles of the heavy kernel --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles in registers: a shape, an encoding of where a thread's elements are,
// and transforms of coordinates, all of them types.
#pragma once
#include "sequence.h"

namespace tile {

/// Coordinates of element I of a tensor of that shape.
template <class Shape, int I> struct unravel {
  template <class S> struct split;
  template <int... Ss> struct split<sequence<Ss...>> {
    template <int D>
    static constexpr int coordinate = I / sequence<Ss...>::at(D) % Shape::at(D);
  };
  using steps = typename strides<Shape>::type;
  template <int D>
  static constexpr int at = split<steps>::template coordinate<D>;
};

/// A linear place for coordinates; each transform adds one level of types.
template <class Shape> struct embed {
  using steps = typename strides<Shape>::type;
  template <int I> static constexpr int offset() {
    int Sum = 0;
    for (int D = 0; D != Shape::size; ++D)
      Sum += (I / steps::at(D) % Shape::at(D)) * steps::at(D);
    return Sum;
  }
};
template <class Below, int Mask> struct swizzle {
  template <int I> static constexpr int offset() {
    return Below::template offset<I>() ^
           (Below::template offset<(I >> 2)>() & Mask);
  }
};
template <class Below, int Pad> struct padded {
  template <int I> static constexpr int offset() {
    return Below::template offset<I>() + Below::template offset<I>() / 32 * Pad;
  }
};

/// Places that a block's elements share: found by sorting them.
template <class Layout, class Elements> struct conflicts;
template <class Layout, int... Is> struct conflicts<Layout, sequence<Is...>> {
  using places = sequence<Layout::template offset<Is>()...>;
  static constexpr int value = repetitions(typename sorted<places>::type{});
};

/// Size times a type.
template <class T, class S> struct repeat;
template <class T, int... Is> struct repeat<T, sequence<Is...>> {
  template <int> using same = T;
  using type = tuple<same<Is>...>;
};

template <class T, class Shape, class Layout> struct register_tile {
  static constexpr int size = product<Shape>::value;
  typename repeat<T, typename iota<size>::type>::type Data;
  template <int I> TILE_BOTH T &at(number<I>) {
    return get<unravel<Shape, I>::template at<0> * strides<Shape>::type::at(0) +
               I % strides<Shape>::type::at(0)>(Data);
  }
  /// With a row of padding where a block of \c blocked elements would share.
  static constexpr int blocked = 320;
  template <int I> static constexpr int place() {
    return Layout::template offset<I>() +
           (conflicts<Layout, typename iota<blocked>::type>::value > blocked);
  }
};

template <class Tile, class T>
TILE_DEVICE void load(Tile &To, const T *From, int Lane) {
  static_for<Tile::size>([&](auto I) {
    To.at(I) = From[Lane + Tile::template place<decltype(I)::value>()];
  });
}
template <class Tile, class T>
TILE_DEVICE void store(Tile &From, T *To, int Lane) {
  static_for<Tile::size>([&](auto I) {
    To[Lane + Tile::template place<decltype(I)::value>()] = From.at(I);
  });
}

/// C += A * B over what one thread has; a lambda and its types for each step.
template <int M, int N, int K, class A, class B, class C>
TILE_DEVICE void multiply(A &Left, B &Right, C &Sum) {
  static_for<M>([&](auto Row) {
    static_for<N>([&](auto Column) {
      static_for<K>([&](auto Step) {
        constexpr int R = decltype(Row)::value, Co = decltype(Column)::value,
                      S = decltype(Step)::value;
        Sum.at(number<R * N + Co>{}) +=
            Left.at(number<R * K + S>{}) * Right.at(number<S * N + Co>{});
      });
    });
  });
}

} // namespace tile
