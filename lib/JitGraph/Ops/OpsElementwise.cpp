//===- OpsElementwise.cpp - element-wise operations -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primitives, and functions of them. Exponentials are only taken of numbers
// up to 0, so that nothing overflows and code without infinities (-ffast-math)
// is right, too.
//
//===----------------------------------------------------------------------===//
#include "OpWriter.h"

#include <cmath>

using namespace kpack;
using namespace kpack::jit;

/// True if \p Kind can compute with \p X.
static bool fits(OpWriter &W, OpKind Kind, TensorRef X) {
  switch (Kind) {
  case OpKind::Exp:
  case OpKind::Log:
  case OpKind::Sqrt:
  case OpKind::Rsqrt:
  case OpKind::Div:
    return W.hasFloats(X);
  case OpKind::Neg:
  case OpKind::Abs:
    return W.hasNumbers(X) &&
           (X.type() != ElementType::UInt8 ||
            W.refuse("elements are uint8_t", "cast them to a signed type"));
  case OpKind::Equal:
    return bool(W);
  default:
    return W.hasNumbers(X);
  }
}

TensorRef any::unary(OpKind Kind, TensorRef X, OpLocation Where) {
  OpWriter W(nameOf(Kind), Where, {X});
  if (!fits(W, Kind, X))
    return W.none(X.type());
  return W.node({.Kind = Kind,
                 .Type = X.type(),
                 .Shape = W.shape(X),
                 .Operands = {X.id()}});
}

static ElementType typeOf(OpKind Kind, TensorRef X) {
  return Kind >= OpKind::Less ? ElementType::Bool : X.type();
}

TensorRef any::binary(OpKind Kind, TensorRef A, TensorRef B, OpLocation Where) {
  OpWriter W(nameOf(Kind), Where, {A, B});
  ElementType Type = typeOf(Kind, A);
  if (!W.haveOneType(A, B) || !fits(W, Kind, A))
    return W.none(Type);
  std::optional<Extents> Shape = W.broadcast(W.shape(A), W.shape(B));
  if (!Shape)
    return W.none(Type);
  A = W.expanded(A, *Shape);
  B = W.expanded(B, *Shape);
  return W.node({.Kind = Kind,
                 .Type = Type,
                 .Shape = std::move(*Shape),
                 .Operands = {A.id(), B.id()}});
}

/// Returns \p Value with the shape and type of \p Like.
static TensorRef scalar(TensorRef Like, double Value, OpLocation Where) {
  OpWriter W("full", Where, {Like});
  return W ? W.full(Like.type(), W.shape(Like), Value) : W.none(Like.type());
}

TensorRef any::binary(OpKind Kind, TensorRef A, double B, OpLocation Where) {
  return binary(Kind, A, scalar(A, B, Where), Where);
}

TensorRef any::binary(OpKind Kind, double A, TensorRef B, OpLocation Where) {
  return binary(Kind, scalar(B, A, Where), B, Where);
}

TensorRef any::where(TensorRef Condition, TensorRef Then, TensorRef Otherwise,
                     OpLocation Where) {
  OpWriter W("where", Where, {Condition, Then, Otherwise});
  if (!W.hasType(Condition, ElementType::Bool) ||
      !W.haveOneType(Then, Otherwise))
    return W.none(Then.type());
  std::optional<Extents> Shape = W.broadcast(W.shape(Then), W.shape(Otherwise));
  if (Shape)
    Shape = W.broadcast(*Shape, W.shape(Condition));
  if (!Shape)
    return W.none(Then.type());
  Condition = W.expanded(Condition, *Shape);
  Then = W.expanded(Then, *Shape);
  Otherwise = W.expanded(Otherwise, *Shape);
  return W.node({.Kind = OpKind::Where,
                 .Type = Then.type(),
                 .Shape = std::move(*Shape),
                 .Operands = {Condition.id(), Then.id(), Otherwise.id()}});
}

TensorRef any::where(TensorRef Condition, TensorRef Then, double Otherwise,
                     OpLocation Where) {
  return where(Condition, Then, scalar(Then, Otherwise, Where), Where);
}

TensorRef any::where(TensorRef Condition, double Then, TensorRef Otherwise,
                     OpLocation Where) {
  return where(Condition, scalar(Otherwise, Then, Where), Otherwise, Where);
}

TensorRef any::cast(TensorRef X, ElementType Type, OpLocation Where) {
  OpWriter W("cast", Where, {X});
  if (!W)
    return W.none(Type);
  return X.type() == Type ? X
                          : W.node({.Kind = OpKind::Cast,
                                    .Type = Type,
                                    .Shape = W.shape(X),
                                    .Operands = {X.id()}});
}

TensorRef any::logical_and(TensorRef A, TensorRef B, OpLocation Where) {
  return where(A, B, 0.0, Where);
}

TensorRef any::logical_or(TensorRef A, TensorRef B, OpLocation Where) {
  return where(A, 1.0, B, Where);
}

TensorRef any::logical_not(TensorRef X, OpLocation Where) {
  return binary(OpKind::Equal, X, 0.0, Where);
}

namespace {

/// Formulas of one result, which are computed in float.
struct Formula {
  OpLocation Where;

  TensorRef add(TensorRef A, auto B) {
    return any::binary(OpKind::Add, A, B, Where);
  }
  TensorRef mul(TensorRef A, auto B) {
    return any::binary(OpKind::Mul, A, B, Where);
  }
  TensorRef div(auto A, TensorRef B) {
    return any::binary(OpKind::Div, A, B, Where);
  }
  /// exp(-Scale * |X|)
  TensorRef decay(TensorRef X, double Scale) {
    TensorRef Abs = any::unary(OpKind::Abs, X, Where);
    return any::unary(OpKind::Exp, mul(Abs, -Scale), Where);
  }

  /// exp(x) / (1 + exp(x)) below 0, otherwise 1 / (1 + exp(-x)).
  TensorRef sigmoid(TensorRef X) {
    TensorRef E = decay(X, 1);
    TensorRef IsNegative = any::binary(OpKind::Less, X, 0.0, Where);
    return div(any::where(IsNegative, E, 1.0, Where), add(E, 1.0));
  }

  /// (1 - exp(-2|x|)) / (1 + exp(-2|x|)), with the sign of x. That loses digits
  /// near 0; there it is the fraction
  ///   x * (945 + 105z + z^2) / (945 + 420z + 15z^2),  z = x^2,
  /// which is the continued fraction x / (1 + z / (3 + z / (5 + z / (7 + z /
  /// 9)))), right to 1e-10 if |x| is less than 0.5.
  TensorRef tanh(TensorRef X) {
    TensorRef E = decay(X, 2);
    TensorRef Far = div(add(mul(E, -1.0), 1.0), add(E, 1.0));
    TensorRef IsNegative = any::binary(OpKind::Less, X, 0.0, Where);
    Far = any::where(IsNegative, mul(Far, -1.0), Far, Where);
    // This is also computed far from 0, so limit its operand to 0.5.
    TensorRef Abs = any::unary(OpKind::Abs, X, Where);
    TensorRef Small = any::binary(OpKind::Min, Abs, 0.5, Where);
    TensorRef Z = mul(Small, Small);
    TensorRef Above = add(mul(add(Z, 105.0), Z), 945.0);
    TensorRef Below = add(mul(add(mul(Z, 15.0), 420.0), Z), 945.0);
    TensorRef Near = div(mul(X, Above), Below);
    return any::where(any::binary(OpKind::Less, Abs, 0.5, Where), Near, Far,
                      Where);
  }
};

} // namespace

/// Checks that \p X can be an operand of \p Name. Returns it as float.
static std::optional<TensorRef> operand(std::string_view Name, TensorRef X,
                                        OpLocation Where) {
  OpWriter W(Name, Where, {X});
  return W.hasFloats(X) ? std::optional(widened(X, Where)) : std::nullopt;
}

static TensorRef makeNone(TensorRef X) {
  return TensorRef(X.graph(), TensorRef::None, X.type());
}

TensorRef any::sigmoid(TensorRef X, OpLocation Where) {
  std::optional<TensorRef> Wide = operand("sigmoid", X, Where);
  return Wide ? cast(Formula{Where}.sigmoid(*Wide), X.type(), Where)
              : makeNone(X);
}

TensorRef any::tanh(TensorRef X, OpLocation Where) {
  std::optional<TensorRef> Wide = operand("tanh", X, Where);
  return Wide ? cast(Formula{Where}.tanh(*Wide), X.type(), Where) : makeNone(X);
}

TensorRef any::relu(TensorRef X, OpLocation Where) {
  OpWriter W("relu", Where, {X});
  return W.hasNumbers(X) ? binary(OpKind::Max, X, 0.0, Where) : makeNone(X);
}

TensorRef any::silu(TensorRef X, OpLocation Where) {
  std::optional<TensorRef> Wide = operand("silu", X, Where);
  if (!Wide)
    return makeNone(X);
  Formula F{Where};
  return cast(F.mul(*Wide, F.sigmoid(*Wide)), X.type(), Where);
}

TensorRef any::gelu(TensorRef X, OpLocation Where) {
  std::optional<TensorRef> Wide = operand("gelu", X, Where);
  if (!Wide)
    return makeNone(X);
  // (1 + tanh(u)) / 2 is sigmoid(2u).
  Formula F{Where};
  TensorRef Square = F.mul(*Wide, *Wide);
  double Twice = 2 * std::sqrt(2 / M_PI);
  TensorRef U = F.mul(*Wide, F.add(F.mul(Square, 0.044715 * Twice), Twice));
  return cast(F.mul(*Wide, F.sigmoid(U)), X.type(), Where);
}
