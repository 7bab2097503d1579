//===- sequence.h - compile-time lists of the heavy kernel ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of numbers and tuples of types, as libraries of tiled kernels have
// them: everything is known when it is compiled. Part of the heavy blob of
// scripts/bench jit, which costs what such a library's blobs cost, in shape.
#pragma once
#include <hip/hip_runtime.h>

#define TILE_BOTH __host__ __device__ __forceinline__
#define TILE_DEVICE __device__ __forceinline__

namespace tile {

template <int N> struct number {
  static constexpr int value = N;
  constexpr TILE_BOTH operator int() const { return N; }
};

template <int... Is> struct sequence {
  static constexpr int size = sizeof...(Is);
  static constexpr TILE_BOTH int at(int I) {
    constexpr int All[sizeof...(Is) + 1] = {Is..., 0};
    return All[I];
  }
  template <int I> using element = number<at(I)>;
};

template <class A, class B> struct concat;
template <int... As, int... Bs>
struct concat<sequence<As...>, sequence<Bs...>> {
  using type = sequence<As..., Bs...>;
};

/// 0 to N - 1, built by halves.
template <int N, int From = 0> struct iota {
  using type =
      typename concat<typename iota<N / 2, From>::type,
                      typename iota<N - N / 2, From + N / 2>::type>::type;
};
template <int From> struct iota<0, From> {
  using type = sequence<>;
};
template <int From> struct iota<1, From> {
  using type = sequence<From>;
};

template <class S, int Value> struct push_front;
template <int... Is, int Value> struct push_front<sequence<Is...>, Value> {
  using type = sequence<Value, Is...>;
};
template <class S> struct reverse;
template <> struct reverse<sequence<>> {
  using type = sequence<>;
};
template <int I, int... Is> struct reverse<sequence<I, Is...>> {
  using type = typename concat<typename reverse<sequence<Is...>>::type,
                               sequence<I>>::type;
};
template <class S> struct product;
template <> struct product<sequence<>> {
  static constexpr int value = 1;
};
template <int I, int... Is> struct product<sequence<I, Is...>> {
  static constexpr int value = I * product<sequence<Is...>>::value;
};
/// Distances of neighbours in each dimension, the last one's is 1.
template <class S> struct strides;
template <> struct strides<sequence<>> {
  using type = sequence<>;
};
template <int I, int... Is> struct strides<sequence<I, Is...>> {
  using type = typename push_front<typename strides<sequence<Is...>>::type,
                                   product<sequence<Is...>>::value>::type;
};

/// Two sorted lists as one.
template <class A, class B, class Out = sequence<>> struct merge;
template <int... Bs, int... Os>
struct merge<sequence<>, sequence<Bs...>, sequence<Os...>> {
  using type = sequence<Os..., Bs...>;
};
template <int A, int... As, int... Os>
struct merge<sequence<A, As...>, sequence<>, sequence<Os...>> {
  using type = sequence<Os..., A, As...>;
};
template <bool FromA, class A, class B, class Out> struct merge_step;
template <int A, int... As, class B, int... Os>
struct merge_step<true, sequence<A, As...>, B, sequence<Os...>>
    : merge<sequence<As...>, B, sequence<Os..., A>> {};
template <class A, int B, int... Bs, int... Os>
struct merge_step<false, A, sequence<B, Bs...>, sequence<Os...>>
    : merge<A, sequence<Bs...>, sequence<Os..., B>> {};
template <int A, int... As, int B, int... Bs, int... Os>
struct merge<sequence<A, As...>, sequence<B, Bs...>, sequence<Os...>>
    : merge_step<(A <= B), sequence<A, As...>, sequence<B, Bs...>,
                 sequence<Os...>> {};

template <class S, class Places> struct pick;
template <class S, int... Is> struct pick<S, sequence<Is...>> {
  using type = sequence<S::at(Is)...>;
};
template <class S> struct sorted {
  static constexpr int half = S::size / 2;
  using low = typename pick<S, typename iota<half>::type>::type;
  using high =
      typename pick<S, typename iota<S::size - half, half>::type>::type;
  using type = typename merge<typename sorted<low>::type,
                              typename sorted<high>::type>::type;
};
template <> struct sorted<sequence<>> {
  using type = sequence<>;
};
template <int I> struct sorted<sequence<I>> {
  using type = sequence<I>;
};

/// How many of a sorted list are as the one before.
template <int... Is> TILE_BOTH constexpr int repetitions(sequence<Is...>) {
  const int All[] = {Is...};
  int Sum = 0;
  for (size_t I = 1; I < sizeof...(Is); ++I)
    Sum += All[I] == All[I - 1];
  return Sum;
}

template <class F, int... Is>
TILE_BOTH void static_for_each(sequence<Is...>, F &&Body) {
  (Body(number<Is>{}), ...);
}
template <int N, class F> TILE_BOTH void static_for(F &&Body) {
  static_for_each(typename iota<N>::type{}, Body);
}

template <int I, class T> struct leaf {
  T Value{};
};
template <class S, class... Ts> struct tuple_base;
template <int... Is, class... Ts>
struct tuple_base<sequence<Is...>, Ts...> : leaf<Is, Ts>... {};
template <class... Ts>
struct tuple : tuple_base<typename iota<int(sizeof...(Ts))>::type, Ts...> {};
template <int I, class T> TILE_BOTH T &get(leaf<I, T> &L) { return L.Value; }
template <int I, class T> TILE_BOTH const T &get(const leaf<I, T> &L) {
  return L.Value;
}

} // namespace tile
