//===- kpack/JitGraph/Ops.h - operations on tensors -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on tensors, with NumPy's meaning where NumPy has them:
//
//   Tensor<float> W = constant(io.x, Weights, {80, 144}, "w");
//   Tensor<float> Y = layer_norm(silu(matmul(io.x, W)) * 0.5f);
//   io.y = cast<float16>(softmax(Y, -1));
//
// - Shapes broadcast: aligned at their last axes, an extent of 1 becomes as
//   long as the other's. Nothing else is done silently: element types are never
//   converted, and two sizes are equal only if that can be proved, or is
//   promised by assume_eq().
// - Axes below 0 are counted from the last. Reductions lose their axis unless
//   Keep is true.
// - A mistake of shapes sets the status of the graph; one of element types
//   does not compile. Functions that take Where keep it for messages and plans.
// - Operations compute float16 and bfloat16 as float, and round to nearest even
//   when they store a result; operations of several steps (softmax, tanh) round
//   once, and sums are at least float's. Integers wrap around.
//
// Siblings: Layers.h (linear, attention, ...), AnyOps.h (types as values),
// CustomKernel.h (kernels that you have written).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_OPS_H
#define KPACK_JITGRAPH_OPS_H

#include "kpack/JitGraph/AnyOps.h"

#include <cassert>

namespace kpack::jit {

template <typename Item>
concept FloatElement =
    Element<Item> && ElementTypeOf<Item>::Value <= ElementType::BFloat16;
template <typename Item>
concept NumberElement = Element<Item> && !std::same_as<Item, bool>;
template <typename Item>
concept SignedElement = NumberElement<Item> && !std::same_as<Item, uint8_t>;

namespace graph_detail {

template <Element Item> struct ScalarOf {
  using Type = Item;
};
template <FloatElement Item> struct ScalarOf<Item> {
  using Type = float;
};

template <Element Item> Tensor<Item> typed(const TensorRef &X) {
  return Tensor<Item>(X.graph(), X.id());
}

template <Element Item> double number(typename ScalarOf<Item>::Type Value) {
  return static_cast<double>(Value);
}

} // namespace graph_detail

/// The type of a number beside a Tensor<T>: float for all floats.
template <Element Item>
using Scalar = typename graph_detail::ScalarOf<Item>::Type;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// Copies elements that are known now: weights. \p Graph is any tensor of the
/// graph. \p Name is for later lookups, and may be empty.
template <Element Item>
Tensor<Item> constant(GraphRef Graph, std::span<const Item> Elements,
                      std::vector<int64_t> Shape, std::string Name = {},
                      OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::constant(Graph, ElementTypeOf<Item>::Value, std::as_bytes(Elements),
                    std::move(Shape), std::move(Name), Where));
}
template <Element Item>
Tensor<Item> constant(GraphRef Graph, const std::vector<Item> &Elements,
                      std::vector<int64_t> Shape, std::string Name = {},
                      OpLocation Where = std::source_location::current()) {
  return constant(Graph, std::span<const Item>(Elements), std::move(Shape),
                  std::move(Name), Where);
}

/// The same for floats, which are rounded to the nearest Item.
template <FloatElement Item>
Tensor<Item> constant_as(GraphRef Graph, std::span<const float> Elements,
                         std::vector<int64_t> Shape, std::string Name = {},
                         OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::constant_as(Graph, ElementTypeOf<Item>::Value, Elements,
                       std::move(Shape), std::move(Name), Where));
}

template <Element Item>
Tensor<Item> full(GraphRef Graph, const Sizes &Shape,
                  std::type_identity_t<Scalar<Item>> Value,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::full(Graph, ElementTypeOf<Item>::Value, Shape,
                graph_detail::number<Item>(Value), Where));
}

/// Returns [n] with 0, 1, 2, ...
template <NumberElement Item = int32_t>
Tensor<Item> iota(GraphRef Graph, Size Length,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::iota(Graph, ElementTypeOf<Item>::Value, Length, Where));
}

/// Returns [1] with the value of a size, which is 0 or more, in the call.
template <NumberElement Item>
Tensor<Item> number(GraphRef Graph, Dim Value,
                    OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::number(Graph, ElementTypeOf<Item>::Value, Value, Where));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The same elements in the same order. One extent may be -1: the remaining
/// elements.
template <Element Item>
Tensor<Item> reshape(const Tensor<Item> &X, const Sizes &Shape,
                     OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::reshape(X, Shape, Where));
}

/// Axis I of the result is the operand's Axes[I].
template <Element Item>
Tensor<Item> permute(const Tensor<Item> &X, const std::vector<int64_t> &Axes,
                     OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::permute(X, Axes, Where));
}

template <Element Item>
Tensor<Item> transpose(const Tensor<Item> &X, int64_t A = -2, int64_t B = -1,
                       OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::transpose(X, A, B, Where));
}

template <Element Item>
Tensor<Item> expand(const Tensor<Item> &X, const Sizes &Shape,
                    OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::expand(X, Shape, Where));
}

/// \p Length elements of an axis, from \p Start on.
template <Element Item>
Tensor<Item> slice(const Tensor<Item> &X, int64_t Axis, Size Start, Size Length,
                   OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::slice(X, Axis, Start, Length, Where));
}

/// The first \p Length elements of an axis.
template <Element Item>
Tensor<Item> shrink(const Tensor<Item> &X, int64_t Axis, Size Length,
                    OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::shrink(X, Axis, Length, Where));
}

template <Element Item>
Tensor<Item> pad(const Tensor<Item> &X, int64_t Axis, Size Before, Size After,
                 std::type_identity_t<Scalar<Item>> Value = {},
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::pad(
      X, Axis, Before, After, graph_detail::number<Item>(Value), Where));
}

/// Joins tensors along an axis: cat({a, b}, 0).
template <Element Item>
Tensor<Item> cat(const std::vector<Tensor<Item>> &Parts, int64_t Axis,
                 OpLocation Where = std::source_location::current()) {
  std::vector<TensorRef> Operands(Parts.begin(), Parts.end());
  return graph_detail::typed<Item>(any::cat(Operands, Axis, Where));
}
template <Element Item>
Tensor<Item> cat(std::initializer_list<Tensor<Item>> Parts, int64_t Axis,
                 OpLocation Where = std::source_location::current()) {
  return cat(std::vector<Tensor<Item>>(Parts), Axis, Where);
}

/// Returns pieces of these lengths, whose sum is the axis' extent. The number
/// of pieces is the same after a mistake.
template <Element Item>
std::vector<Tensor<Item>>
split(const Tensor<Item> &X, int64_t Axis, const Sizes &Lengths,
      OpLocation Where = std::source_location::current()) {
  std::vector<Tensor<Item>> Pieces;
  for (const TensorRef &Piece : any::split(X, Axis, Lengths, Where))
    Pieces.push_back(graph_detail::typed<Item>(Piece));
  return Pieces;
}

/// A new last axis of \p Size elements, which begin at every \p Stride-th of \p
/// Axis.
template <Element Item>
Tensor<Item> window(const Tensor<Item> &X, int64_t Axis, int64_t Size,
                    int64_t Stride = 1,
                    OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::window(X, Axis, Size, Stride, Where));
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

namespace graph_detail {

template <typename R, typename Item>
Tensor<R> binary(OpKind Kind, const Tensor<Item> &A, const Tensor<Item> &B,
                 OpLocation Where = {}) {
  return typed<R>(any::binary(Kind, A, B, Where));
}
template <typename R, typename Item>
Tensor<R> binary(OpKind Kind, const Tensor<Item> &A, Scalar<Item> B,
                 OpLocation Where = {}) {
  return typed<R>(any::binary(Kind, A, number<Item>(B), Where));
}
template <typename R, typename Item>
Tensor<R> binary(OpKind Kind, Scalar<Item> A, const Tensor<Item> &B,
                 OpLocation Where = {}) {
  return typed<R>(any::binary(Kind, number<Item>(A), B, Where));
}

} // namespace graph_detail

// An operator between two tensors, and between a tensor and a number.
#define KPACK_OPERATOR(SYMBOL, KIND, CONCEPT, RESULT)                          \
  template <CONCEPT Item>                                                      \
  Tensor<RESULT> operator SYMBOL(const Tensor<Item> &A,                        \
                                 const Tensor<Item> &B) {                      \
    return graph_detail::binary<RESULT, Item>(OpKind::KIND, A, B);             \
  }                                                                            \
  template <CONCEPT Item>                                                      \
  Tensor<RESULT> operator SYMBOL(const Tensor<Item> &A,                        \
                                 std::type_identity_t<Scalar<Item>> B) {       \
    return graph_detail::binary<RESULT, Item>(OpKind::KIND, A, B);             \
  }                                                                            \
  template <CONCEPT Item>                                                      \
  Tensor<RESULT> operator SYMBOL(std::type_identity_t<Scalar<Item>> A,         \
                                 const Tensor<Item> &B) {                      \
    return graph_detail::binary<RESULT, Item>(OpKind::KIND, A, B);             \
  }
KPACK_OPERATOR(+, Add, NumberElement, Item)
KPACK_OPERATOR(-, Sub, NumberElement, Item)
KPACK_OPERATOR(*, Mul, NumberElement, Item)
KPACK_OPERATOR(/, Div, FloatElement, Item)
KPACK_OPERATOR(<, Less, NumberElement, bool)
KPACK_OPERATOR(<=, LessEqual, NumberElement, bool)
#undef KPACK_OPERATOR

template <NumberElement Item>
Tensor<bool> operator>(const Tensor<Item> &A, const Tensor<Item> &B) {
  return B < A;
}
template <NumberElement Item>
Tensor<bool> operator>(const Tensor<Item> &A,
                       std::type_identity_t<Scalar<Item>> B) {
  return B < A;
}
template <NumberElement Item>
Tensor<bool> operator>=(const Tensor<Item> &A, const Tensor<Item> &B) {
  return B <= A;
}
template <NumberElement Item>
Tensor<bool> operator>=(const Tensor<Item> &A,
                        std::type_identity_t<Scalar<Item>> B) {
  return B <= A;
}

template <Element Item>
Tensor<bool> equal(const Tensor<Item> &A, const Tensor<Item> &B,
                   OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<bool, Item>(OpKind::Equal, A, B, Where);
}
template <Element Item>
Tensor<bool> equal(const Tensor<Item> &A, std::type_identity_t<Scalar<Item>> B,
                   OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<bool, Item>(OpKind::Equal, A, B, Where);
}

/// The minimum of each pair of elements; max_of() is the maximum along an axis.
template <NumberElement Item>
Tensor<Item> min(const Tensor<Item> &A, const Tensor<Item> &B,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<Item, Item>(OpKind::Min, A, B, Where);
}
template <NumberElement Item>
Tensor<Item> min(const Tensor<Item> &A, std::type_identity_t<Scalar<Item>> B,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<Item, Item>(OpKind::Min, A, B, Where);
}
template <NumberElement Item>
Tensor<Item> max(const Tensor<Item> &A, const Tensor<Item> &B,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<Item, Item>(OpKind::Max, A, B, Where);
}
template <NumberElement Item>
Tensor<Item> max(const Tensor<Item> &A, std::type_identity_t<Scalar<Item>> B,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<Item, Item>(OpKind::Max, A, B, Where);
}

template <SignedElement Item> Tensor<Item> operator-(const Tensor<Item> &X) {
  return graph_detail::typed<Item>(any::unary(OpKind::Neg, X, OpLocation()));
}
template <SignedElement Item>
Tensor<Item> abs(const Tensor<Item> &X,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::unary(OpKind::Abs, X, Where));
}
template <FloatElement Item>
Tensor<Item> exp(const Tensor<Item> &X,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::unary(OpKind::Exp, X, Where));
}
template <FloatElement Item>
Tensor<Item> log(const Tensor<Item> &X,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::unary(OpKind::Log, X, Where));
}
template <FloatElement Item>
Tensor<Item> sqrt(const Tensor<Item> &X,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::unary(OpKind::Sqrt, X, Where));
}
/// 1 / sqrt(x)
template <FloatElement Item>
Tensor<Item> rsqrt(const Tensor<Item> &X,
                   OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::unary(OpKind::Rsqrt, X, Where));
}

/// 1 / (1 + exp(-x)), as exp(x) / (1 + exp(x)) below 0.
template <FloatElement Item>
Tensor<Item> sigmoid(const Tensor<Item> &X,
                     OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::sigmoid(X, Where));
}
/// (1 - exp(-2|x|)) / (1 + exp(-2|x|)) with the sign of x; a fraction of
/// polynomials where |x| is less than 0.5, so no digit is lost near 0.
template <FloatElement Item>
Tensor<Item> tanh(const Tensor<Item> &X,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::tanh(X, Where));
}
template <NumberElement Item>
Tensor<Item> relu(const Tensor<Item> &X,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::relu(X, Where));
}
/// x * sigmoid(x)
template <FloatElement Item>
Tensor<Item> silu(const Tensor<Item> &X,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::silu(X, Where));
}
/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))): the usual
/// approximation, not the one by erf.
template <FloatElement Item>
Tensor<Item> gelu(const Tensor<Item> &X,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::gelu(X, Where));
}

/// Selects one or the other for each element. Both are computed.
template <Element Item>
Tensor<Item> where(const Tensor<bool> &Condition, const Tensor<Item> &Then,
                   const Tensor<Item> &Otherwise,
                   OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::where(Condition, Then, Otherwise, Where));
}
template <Element Item>
Tensor<Item> where(const Tensor<bool> &Condition, const Tensor<Item> &Then,
                   std::type_identity_t<Scalar<Item>> Otherwise,
                   OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::where(
      Condition, Then, graph_detail::number<Item>(Otherwise), Where));
}
template <Element Item>
Tensor<Item> where(const Tensor<bool> &Condition,
                   std::type_identity_t<Scalar<Item>> Then,
                   const Tensor<Item> &Otherwise,
                   OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::where(
      Condition, graph_detail::number<Item>(Then), Otherwise, Where));
}

inline Tensor<bool>
logical_and(const Tensor<bool> &A, const Tensor<bool> &B,
            OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<bool>(any::logical_and(A, B, Where));
}
inline Tensor<bool>
logical_or(const Tensor<bool> &A, const Tensor<bool> &B,
           OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<bool>(any::logical_or(A, B, Where));
}
inline Tensor<bool>
logical_not(const Tensor<bool> &X,
            OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<bool>(any::logical_not(X, Where));
}

/// Rounds integers towards 0; values that do not fit give an unspecified
/// number. To bool: true for all but 0.
template <Element To, Element Item>
Tensor<To> cast(const Tensor<Item> &X,
                OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<To>(any::cast(X, ElementTypeOf<To>::Value, Where));
}

//===----------------------------------------------------------------------===//
// Over one axis
//===----------------------------------------------------------------------===//

template <SignedElement Item>
Tensor<Item> sum(const Tensor<Item> &X, int64_t Axis, bool Keep = false,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::sum(X, Axis, Keep, Where));
}
/// The maximum along an axis that is never empty.
template <NumberElement Item>
Tensor<Item> max_of(const Tensor<Item> &X, int64_t Axis, bool Keep = false,
                    OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::max_of(X, Axis, Keep, Where));
}
template <FloatElement Item>
Tensor<Item> mean(const Tensor<Item> &X, int64_t Axis, bool Keep = false,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::mean(X, Axis, Keep, Where));
}
/// The index of the greatest element; the first one of equals.
template <NumberElement Item>
Tensor<int32_t> argmax(const Tensor<Item> &X, int64_t Axis, bool Keep = false,
                       OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<int32_t>(any::argmax(X, Axis, Keep, Where));
}
/// exp(x - m) / sum(exp(x - m)) with the greatest element m.
template <FloatElement Item>
Tensor<Item> softmax(const Tensor<Item> &X, int64_t Axis = -1,
                     OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::softmax(X, Axis, Where));
}
/// x - m - log(sum(exp(x - m)))
template <FloatElement Item>
Tensor<Item> log_softmax(const Tensor<Item> &X, int64_t Axis = -1,
                         OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::log_softmax(X, Axis, Where));
}
/// d * rsqrt(mean(d * d) + Epsilon) over the last axis, where d = x - mean(x);
/// times \p Gamma, plus \p Beta.
template <FloatElement Item>
Tensor<Item> layer_norm(const Tensor<Item> &X, const Tensor<Item> &Gamma,
                        const Tensor<Item> &Beta, float Epsilon = 1e-5F,
                        OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::layer_norm(X, Gamma, Beta, double{Epsilon}, Where));
}
template <FloatElement Item>
Tensor<Item> layer_norm(const Tensor<Item> &X, float Epsilon = 1e-5F,
                        OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::layer_norm(X, TensorRef(), TensorRef(), double{Epsilon}, Where));
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// [..., m, k] by [..., k, n]; the axes before broadcast.
template <FloatElement Item>
Tensor<Item> matmul(const Tensor<Item> &A, const Tensor<Item> &B,
                    OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::matmul(A, B, Where));
}

/// [b, c, t] with weights [n, c / groups, size] is [b, n, t']; channels last
/// [b, t, c] with weights [size, c / groups, n] is [b, t', n]. t' is
/// (t + 2 * padding - size) / stride + 1.
template <FloatElement Item>
Tensor<Item> conv1d(const Tensor<Item> &X, const Tensor<Item> &Weights,
                    const Tensor<Item> &Bias, const Conv1dOptions &Options = {},
                    OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::conv1d(X, Weights, Bias, Options, Where));
}
template <FloatElement Item>
Tensor<Item> conv1d(const Tensor<Item> &X, const Tensor<Item> &Weights,
                    const Conv1dOptions &Options = {},
                    OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::conv1d(X, Weights, TensorRef(), Options, Where));
}

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_OPS_H
