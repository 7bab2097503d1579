//===- kpack/JitGraph/Ops.h - what a build function writes ------*- C++ -*-===//
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
// - A mistake of shapes makes the status of the graph, one of element types
//   does not compile. Functions that take Where keep it for messages and plans.
// - float16 and bfloat16 are computed with as float and rounded to nearest even
//   where a result is stored; what has several steps (softmax, tanh) is rounded
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

template <typename T>
concept FloatElement =
    Element<T> && ElementTypeOf<T>::Value <= ElementType::BFloat16;
template <typename T>
concept NumberElement = Element<T> && !std::same_as<T, bool>;
template <typename T>
concept SignedElement = NumberElement<T> && !std::same_as<T, uint8_t>;

namespace graph_detail {

template <Element T> struct ScalarOf {
  using Type = T;
};
template <FloatElement T> struct ScalarOf<T> {
  using Type = float;
};

template <Element T> Tensor<T> typed(const TensorRef &X) {
  return Tensor<T>(X.graph(), X.id());
}

template <Element T> double number(typename ScalarOf<T>::Type Value) {
  return static_cast<double>(Value);
}

} // namespace graph_detail

/// What stands beside a Tensor<T> as a number: a float for all floats.
template <Element T> using Scalar = typename graph_detail::ScalarOf<T>::Type;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// Elements that are known now and copied: weights. \p Graph: any tensor of the
/// graph. \p Name is what they can be asked for by, and may be empty.
template <Element T>
Tensor<T> constant(GraphRef Graph, std::span<const T> Elements,
                   std::vector<int64_t> Shape, std::string Name = {},
                   OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(
      any::constant(Graph, ElementTypeOf<T>::Value, std::as_bytes(Elements),
                    std::move(Shape), std::move(Name), Where));
}
template <Element T>
Tensor<T> constant(GraphRef Graph, const std::vector<T> &Elements,
                   std::vector<int64_t> Shape, std::string Name = {},
                   OpLocation Where = std::source_location::current()) {
  return constant(Graph, std::span<const T>(Elements), std::move(Shape),
                  std::move(Name), Where);
}

/// The same of floats, which are rounded to the nearest T.
template <FloatElement T>
Tensor<T> constant_as(GraphRef Graph, std::span<const float> Elements,
                      std::vector<int64_t> Shape, std::string Name = {},
                      OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::constant_as(Graph, ElementTypeOf<T>::Value,
                                                 Elements, std::move(Shape),
                                                 std::move(Name), Where));
}

template <Element T>
Tensor<T> full(GraphRef Graph, const Sizes &Shape,
               std::type_identity_t<Scalar<T>> Value,
               OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::full(Graph, ElementTypeOf<T>::Value, Shape,
                                          graph_detail::number<T>(Value),
                                          Where));
}

/// [n] of 0, 1, 2, ...
template <NumberElement T = int32_t>
Tensor<T> iota(GraphRef Graph, Size N,
               OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(
      any::iota(Graph, ElementTypeOf<T>::Value, N, Where));
}

/// [1]: the value that a size, which is 0 or more, has in a call.
template <NumberElement T>
Tensor<T> number(GraphRef Graph, Dim Value,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(
      any::number(Graph, ElementTypeOf<T>::Value, Value, Where));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The same elements in the same order. One extent may be -1: what the others
/// leave.
template <Element T>
Tensor<T> reshape(const Tensor<T> &X, const Sizes &Shape,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::reshape(X, Shape, Where));
}

/// Axis I of the result is the operand's Axes[I].
template <Element T>
Tensor<T> permute(const Tensor<T> &X, const std::vector<int64_t> &Axes,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::permute(X, Axes, Where));
}

template <Element T>
Tensor<T> transpose(const Tensor<T> &X, int64_t A = -2, int64_t B = -1,
                    OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::transpose(X, A, B, Where));
}

template <Element T>
Tensor<T> expand(const Tensor<T> &X, const Sizes &Shape,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::expand(X, Shape, Where));
}

/// \p Length elements of an axis, from \p Start on.
template <Element T>
Tensor<T> slice(const Tensor<T> &X, int64_t Axis, Size Start, Size Length,
                OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::slice(X, Axis, Start, Length, Where));
}

/// The first \p Length elements of an axis.
template <Element T>
Tensor<T> shrink(const Tensor<T> &X, int64_t Axis, Size Length,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::shrink(X, Axis, Length, Where));
}

template <Element T>
Tensor<T> pad(const Tensor<T> &X, int64_t Axis, Size Before, Size After,
              std::type_identity_t<Scalar<T>> Value = {},
              OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(
      any::pad(X, Axis, Before, After, graph_detail::number<T>(Value), Where));
}

/// One after another along an axis: cat({a, b}, 0).
template <Element T>
Tensor<T> cat(const std::vector<Tensor<T>> &Parts, int64_t Axis,
              OpLocation Where = std::source_location::current()) {
  std::vector<TensorRef> Operands(Parts.begin(), Parts.end());
  return graph_detail::typed<T>(any::cat(Operands, Axis, Where));
}
template <Element T>
Tensor<T> cat(std::initializer_list<Tensor<T>> Parts, int64_t Axis,
              OpLocation Where = std::source_location::current()) {
  return cat(std::vector<Tensor<T>>(Parts), Axis, Where);
}

/// Pieces of these lengths, whose sum is the axis' extent. There are as many,
/// also of a mistake.
template <Element T>
std::vector<Tensor<T>>
split(const Tensor<T> &X, int64_t Axis, const Sizes &Lengths,
      OpLocation Where = std::source_location::current()) {
  std::vector<Tensor<T>> Pieces;
  for (const TensorRef &Piece : any::split(X, Axis, Lengths, Where))
    Pieces.push_back(graph_detail::typed<T>(Piece));
  return Pieces;
}

/// A new last axis of \p Size elements, which begin at every \p Stride-th of
/// \p Axis.
template <Element T>
Tensor<T> window(const Tensor<T> &X, int64_t Axis, int64_t Size,
                 int64_t Stride = 1,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::window(X, Axis, Size, Stride, Where));
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

namespace graph_detail {

template <typename R, typename T>
Tensor<R> binary(OpKind Kind, const Tensor<T> &A, const Tensor<T> &B,
                 OpLocation Where = {}) {
  return typed<R>(any::binary(Kind, A, B, Where));
}
template <typename R, typename T>
Tensor<R> binary(OpKind Kind, const Tensor<T> &A, Scalar<T> B,
                 OpLocation Where = {}) {
  return typed<R>(any::binary(Kind, A, number<T>(B), Where));
}
template <typename R, typename T>
Tensor<R> binary(OpKind Kind, Scalar<T> A, const Tensor<T> &B,
                 OpLocation Where = {}) {
  return typed<R>(any::binary(Kind, number<T>(A), B, Where));
}

} // namespace graph_detail

// An operator between two tensors, and between a tensor and a number.
#define KPACK_OPERATOR(SYMBOL, KIND, CONCEPT, RESULT)                          \
  template <CONCEPT T>                                                         \
  Tensor<RESULT> operator SYMBOL(const Tensor<T> &A, const Tensor<T> &B) {     \
    return graph_detail::binary<RESULT, T>(OpKind::KIND, A, B);                \
  }                                                                            \
  template <CONCEPT T>                                                         \
  Tensor<RESULT> operator SYMBOL(const Tensor<T> &A,                           \
                                 std::type_identity_t<Scalar<T>> B) {          \
    return graph_detail::binary<RESULT, T>(OpKind::KIND, A, B);                \
  }                                                                            \
  template <CONCEPT T>                                                         \
  Tensor<RESULT> operator SYMBOL(std::type_identity_t<Scalar<T>> A,            \
                                 const Tensor<T> &B) {                         \
    return graph_detail::binary<RESULT, T>(OpKind::KIND, A, B);                \
  }
KPACK_OPERATOR(+, Add, NumberElement, T)
KPACK_OPERATOR(-, Sub, NumberElement, T)
KPACK_OPERATOR(*, Mul, NumberElement, T)
KPACK_OPERATOR(/, Div, FloatElement, T)
KPACK_OPERATOR(<, Less, NumberElement, bool)
KPACK_OPERATOR(<=, LessEqual, NumberElement, bool)
#undef KPACK_OPERATOR

template <NumberElement T>
Tensor<bool> operator>(const Tensor<T> &A, const Tensor<T> &B) {
  return B < A;
}
template <NumberElement T>
Tensor<bool> operator>(const Tensor<T> &A, std::type_identity_t<Scalar<T>> B) {
  return B < A;
}
template <NumberElement T>
Tensor<bool> operator>=(const Tensor<T> &A, const Tensor<T> &B) {
  return B <= A;
}
template <NumberElement T>
Tensor<bool> operator>=(const Tensor<T> &A, std::type_identity_t<Scalar<T>> B) {
  return B <= A;
}

template <Element T>
Tensor<bool> equal(const Tensor<T> &A, const Tensor<T> &B,
                   OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<bool, T>(OpKind::Equal, A, B, Where);
}
template <Element T>
Tensor<bool> equal(const Tensor<T> &A, std::type_identity_t<Scalar<T>> B,
                   OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<bool, T>(OpKind::Equal, A, B, Where);
}

/// Of each pair of elements; max_of() is the greatest along an axis.
template <NumberElement T>
Tensor<T> min(const Tensor<T> &A, const Tensor<T> &B,
              OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<T, T>(OpKind::Min, A, B, Where);
}
template <NumberElement T>
Tensor<T> min(const Tensor<T> &A, std::type_identity_t<Scalar<T>> B,
              OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<T, T>(OpKind::Min, A, B, Where);
}
template <NumberElement T>
Tensor<T> max(const Tensor<T> &A, const Tensor<T> &B,
              OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<T, T>(OpKind::Max, A, B, Where);
}
template <NumberElement T>
Tensor<T> max(const Tensor<T> &A, std::type_identity_t<Scalar<T>> B,
              OpLocation Where = std::source_location::current()) {
  return graph_detail::binary<T, T>(OpKind::Max, A, B, Where);
}

template <SignedElement T> Tensor<T> operator-(const Tensor<T> &X) {
  return graph_detail::typed<T>(any::unary(OpKind::Neg, X, OpLocation()));
}
template <SignedElement T>
Tensor<T> abs(const Tensor<T> &X,
              OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::unary(OpKind::Abs, X, Where));
}
template <FloatElement T>
Tensor<T> exp(const Tensor<T> &X,
              OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::unary(OpKind::Exp, X, Where));
}
template <FloatElement T>
Tensor<T> log(const Tensor<T> &X,
              OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::unary(OpKind::Log, X, Where));
}
template <FloatElement T>
Tensor<T> sqrt(const Tensor<T> &X,
               OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::unary(OpKind::Sqrt, X, Where));
}
/// 1 / sqrt(x)
template <FloatElement T>
Tensor<T> rsqrt(const Tensor<T> &X,
                OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::unary(OpKind::Rsqrt, X, Where));
}

/// 1 / (1 + exp(-x)), as exp(x) / (1 + exp(x)) below 0.
template <FloatElement T>
Tensor<T> sigmoid(const Tensor<T> &X,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::sigmoid(X, Where));
}
/// (1 - exp(-2|x|)) / (1 + exp(-2|x|)) with the sign of x; a fraction of
/// polynomials where |x| is less than 0.5, so no digit is lost near 0.
template <FloatElement T>
Tensor<T> tanh(const Tensor<T> &X,
               OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::tanh(X, Where));
}
template <NumberElement T>
Tensor<T> relu(const Tensor<T> &X,
               OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::relu(X, Where));
}
/// x * sigmoid(x)
template <FloatElement T>
Tensor<T> silu(const Tensor<T> &X,
               OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::silu(X, Where));
}
/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))): the usual
/// approximation, not the one by erf.
template <FloatElement T>
Tensor<T> gelu(const Tensor<T> &X,
               OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::gelu(X, Where));
}

/// Of each element one or the other. Both are computed.
template <Element T>
Tensor<T> where(const Tensor<bool> &Condition, const Tensor<T> &Then,
                const Tensor<T> &Otherwise,
                OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::where(Condition, Then, Otherwise, Where));
}
template <Element T>
Tensor<T> where(const Tensor<bool> &Condition, const Tensor<T> &Then,
                std::type_identity_t<Scalar<T>> Otherwise,
                OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(
      any::where(Condition, Then, graph_detail::number<T>(Otherwise), Where));
}
template <Element T>
Tensor<T> where(const Tensor<bool> &Condition,
                std::type_identity_t<Scalar<T>> Then,
                const Tensor<T> &Otherwise,
                OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(
      any::where(Condition, graph_detail::number<T>(Then), Otherwise, Where));
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

/// To integers: towards 0, and what does not fit is some number. To bool: what
/// is not 0.
template <Element To, Element T>
Tensor<To> cast(const Tensor<T> &X,
                OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<To>(any::cast(X, ElementTypeOf<To>::Value, Where));
}

//===----------------------------------------------------------------------===//
// Over one axis
//===----------------------------------------------------------------------===//

template <SignedElement T>
Tensor<T> sum(const Tensor<T> &X, int64_t Axis, bool Keep = false,
              OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::sum(X, Axis, Keep, Where));
}
/// The greatest, of an axis that is never empty.
template <NumberElement T>
Tensor<T> max_of(const Tensor<T> &X, int64_t Axis, bool Keep = false,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::max_of(X, Axis, Keep, Where));
}
template <FloatElement T>
Tensor<T> mean(const Tensor<T> &X, int64_t Axis, bool Keep = false,
               OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::mean(X, Axis, Keep, Where));
}
/// Where the greatest element is; of equal ones the first.
template <NumberElement T>
Tensor<int32_t> argmax(const Tensor<T> &X, int64_t Axis, bool Keep = false,
                       OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<int32_t>(any::argmax(X, Axis, Keep, Where));
}
/// exp(x - m) / sum(exp(x - m)) with the greatest element m.
template <FloatElement T>
Tensor<T> softmax(const Tensor<T> &X, int64_t Axis = -1,
                  OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::softmax(X, Axis, Where));
}
/// x - m - log(sum(exp(x - m)))
template <FloatElement T>
Tensor<T> log_softmax(const Tensor<T> &X, int64_t Axis = -1,
                      OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::log_softmax(X, Axis, Where));
}
/// d * rsqrt(mean(d * d) + Epsilon) over the last axis, where d = x - mean(x);
/// times \p Gamma, plus \p Beta.
template <FloatElement T>
Tensor<T> layer_norm(const Tensor<T> &X, const Tensor<T> &Gamma,
                     const Tensor<T> &Beta, float Epsilon = 1e-5F,
                     OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(
      any::layer_norm(X, Gamma, Beta, double{Epsilon}, Where));
}
template <FloatElement T>
Tensor<T> layer_norm(const Tensor<T> &X, float Epsilon = 1e-5F,
                     OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(
      any::layer_norm(X, TensorRef(), TensorRef(), double{Epsilon}, Where));
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// [..., m, k] by [..., k, n]; what is in front broadcasts.
template <FloatElement T>
Tensor<T> matmul(const Tensor<T> &A, const Tensor<T> &B,
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::matmul(A, B, Where));
}

/// [b, c, t] with weights [n, c / groups, size] is [b, n, t']; channels last
/// [b, t, c] with weights [size, c / groups, n] is [b, t', n]. t' is
/// (t + 2 * padding - size) / stride + 1.
template <FloatElement T>
Tensor<T> conv1d(const Tensor<T> &X, const Tensor<T> &Weights,
                 const Tensor<T> &Bias, const Conv1dOptions &Options = {},
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(any::conv1d(X, Weights, Bias, Options, Where));
}
template <FloatElement T>
Tensor<T> conv1d(const Tensor<T> &X, const Tensor<T> &Weights,
                 const Conv1dOptions &Options = {},
                 OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<T>(
      any::conv1d(X, Weights, TensorRef(), Options, Where));
}

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_OPS_H
