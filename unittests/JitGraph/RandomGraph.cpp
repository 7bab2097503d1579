//===- RandomGraph.cpp - random graphs from a seed ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool of tensors, of which each is known how large its elements can be and
// whether they are exact: the same in double and in its type. A step takes some
// out of the pool and adds one, or does not fit and adds none.
//
// Exact are halves, quarters ... down to 1/32 that stay below 8: inputs, and
// what views, comparisons, minima and integers make of such.
//
//===----------------------------------------------------------------------===//
#include "RandomGraph.h"

#include "JitGraph/Sizes/DimProgram.h"
#include "kpack/JitGraph/AnyOps.h"

#include <cmath>
#include <numeric>
#include <random>

using namespace kpack;
using namespace kpack::jit;

ReferenceTensor jit::numbers(ElementType Type, std::vector<int64_t> Shape,
                             uint32_t Seed) {
  ReferenceTensor T{Type, std::move(Shape), {}};
  int64_t Count = 1;
  for (int64_t Extent : T.Shape)
    Count *= Extent;
  std::mt19937 Random(Seed);
  for (int64_t I = 0; I < Count; ++I) {
    int Number = static_cast<int>(Random() % 129) - 64;
    if (Type <= ElementType::BFloat16)
      T.Elements.push_back(Number / 32.0);
    else if (Type < ElementType::UInt8)
      T.Elements.push_back(Number / 16);
    else
      T.Elements.push_back((Number + 64) % (Type == ElementType::Bool ? 2 : 5));
  }
  return T;
}

namespace {

constexpr double Largest = 8;
constexpr int64_t MostElements = 3000;

struct Value {
  TensorRef X;
  double Most = 0;
  bool IsExact = false;
};

bool isFloat(TensorRef X) { return X.type() <= ElementType::BFloat16; }
bool isBool(TensorRef X) { return X.type() == ElementType::Bool; }
bool isByte(TensorRef X) { return X.type() == ElementType::UInt8; }
bool isFixed(Dim D) { return D.isConstant(); }

class Generator {
public:
  Generator(OpGraph &G, uint32_t Seed, std::string Suffix)
      : G(G), Random(Seed), Suffix(std::move(Suffix)) {}

  void run() {
    sources();
    size_t Wanted = G.size() + 5 + below(30);
    for (int I = 0; I < 300 && G.size() < Wanted; ++I) {
      Value V = step();
      if (V.X.id() != TensorRef::None && fits(V.X))
        Pool.push_back(tame(V));
    }
    for (size_t I = 0, Count = 1 + below(3); I < Count; ++I)
      G.addOutput(named("y", I), (I ? any() : Pool.back()).X.id());
  }

private:
  std::string named(const char *What, size_t Number) const {
    return What + std::to_string(Number) + Suffix;
  }
  uint32_t below(size_t N) { return static_cast<uint32_t>(Random() % N); }
  bool chance(int Percent) { return below(100) < static_cast<size_t>(Percent); }
  /// One of the pool, more often a late one.
  Value any() {
    size_t I = std::max(below(Pool.size()), below(Pool.size()));
    return Pool[I];
  }
  /// One that \p Is holds for, or none.
  template <typename F> Value find(F Is) {
    for (int I = 0; I < 10; ++I)
      if (Value V = any(); Is(V))
        return V;
    return {};
  }
  Value findFloat() {
    return find([](const Value &V) { return isFloat(V.X); });
  }
  int64_t anyAxis(TensorRef X) {
    return static_cast<int64_t>(below(shape(X).size()));
  }
  /// One of one axis or more, or none.
  Value findAxes(size_t Rank) {
    return find([&](const Value &V) { return shape(V.X).size() >= Rank; });
  }

  static bool fits(TensorRef X) {
    int64_t Count = 1;
    for (Dim D : shape(X))
      Count *= D.hi();
    return Count <= MostElements && shape(X).size() <= 5;
  }

  bool canBroadcast(TensorRef A, TensorRef B) {
    std::vector<Dim> P = shape(A), Q = shape(B);
    Dim One = G.dims().constant(1);
    for (size_t I = 1; I <= std::min(P.size(), Q.size()); ++I)
      if (Dim C = P[P.size() - I], D = Q[Q.size() - I];
          C != D && C != One && D != One)
        return false;
    return true;
  }

  OpLocation here() const { return OpLocation(); }

  //===--------------------------------------------------------------------===//
  // Sources
  //===--------------------------------------------------------------------===//

  Dim anyExtent() {
    uint32_t Which = below(6);
    if (Which == 0)
      return Times;
    if (Which == 1)
      return Batch;
    return G.dims().constant(Which == 2 ? 1 : 2 + below(6));
  }

  void sources() {
    Times = *G.dims().variable("t" + Suffix, {1, 37});
    Batch = chance(50) ? *G.dims().variable("b" + Suffix, {1, 4})
                       : G.dims().constant(1 + below(3));
    constexpr ElementType Types[] = {
        ElementType::Float32,  ElementType::Float32, ElementType::Float16,
        ElementType::BFloat16, ElementType::Int32,   ElementType::Int64,
        ElementType::UInt8,    ElementType::Bool};
    for (size_t I = 0, Count = 1 + below(3); I < Count; ++I) {
      ElementType Type = I ? Types[below(std::size(Types))] : Types[0];
      std::vector<Dim> Shape;
      do {
        Shape.clear();
        for (size_t J = 0, Rank = 1 + below(3); J < Rank; ++J)
          Shape.push_back(anyExtent());
      } while (product(Shape) > MostElements);
      uint32_t Id = G.addInput({named("x", I), Type, Shape});
      Pool.push_back({TensorRef(&G, Id, Type), 4, true});
    }
    if (chance(30))
      Pool.push_back(
          tame({any::iota(G, ElementType::Int32, Times, here()), 36, true}));
    if (chance(20))
      Pool.push_back(
          {any::full(G, Types[below(8)], {anyExtent()}, 1, here()), 1, true});
    if (chance(20))
      Pool.push_back(tame(
          {any::number(G, ElementType::Float32, Times, here()), 37, true}));
  }

  static int64_t product(const std::vector<Dim> &Shape) {
    int64_t Count = 1;
    for (Dim D : Shape)
      Count *= D.hi();
    return Count;
  }

  /// A weight of these extents, with elements from -1 to 1.
  TensorRef weight(ElementType Type, std::vector<int64_t> Shape) {
    int64_t Count = 1;
    for (int64_t Extent : Shape)
      Count *= Extent;
    std::vector<float> Floats;
    std::vector<uint16_t> Halves;
    for (int64_t I = 0; I < Count; ++I) {
      // Of bits that all types have: a sign, 1/2 to 1, and 3 digits.
      uint32_t Bits = below(16);
      float Number = 0.5F + static_cast<float>(Bits & 7) / 16;
      Floats.push_back(Bits & 8 ? -Number : Number);
      uint32_t Sign = (Bits & 8) << 12, Digits = Bits & 7;
      Halves.push_back(static_cast<uint16_t>(
          Sign | (Type == ElementType::Float16 ? 0x3800 | Digits << 7
                                               : 0x3f00 | Digits << 4)));
    }
    std::span<const std::byte> Bytes = Type == ElementType::Float32
                                           ? std::as_bytes(std::span(Floats))
                                           : std::as_bytes(std::span(Halves));
    return any::constant(G, Type, Bytes, std::move(Shape), "w", here());
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  /// The same or something of it, below Largest.
  Value tame(Value V) {
    if (V.Most <= Largest || isBool(V.X))
      return V;
    if (!isFloat(V.X)) {
      V.X = any::binary(OpKind::Min, V.X, 7, here());
      if (!isByte(V.X))
        V.X = any::binary(OpKind::Max, V.X, -7, here());
      return {V.X, 7, V.IsExact};
    }
    if (chance(30))
      return {
          any::tanh(any::binary(OpKind::Mul, V.X, 1 / V.Most, here()), here()),
          1, false};
    return {any::binary(OpKind::Mul, V.X, 4 / V.Most, here()), 4, false};
  }

  Value step() {
    switch (below(17)) {
    case 0:
    case 1:
    case 2:
      return binary();
    case 3:
    case 4:
    case 16:
      return unary();
    case 5:
      return compare();
    case 6:
      return where();
    case 7:
      return cast();
    case 8:
      return permuted();
    case 9:
      return reshaped();
    case 10:
      return sliced();
    case 11:
      return joined();
    case 12:
      return windowed();
    case 13:
    case 14:
      return reduced();
    default:
      return chance(60) ? product() : convolved();
    }
  }

  Value findPartner(const Value &A) {
    return find([&](const Value &B) {
      return B.X.type() == A.X.type() && canBroadcast(A.X, B.X);
    });
  }

  Value binary() {
    Value A = find([](const Value &V) { return !isBool(V.X); });
    if (!A.X.graph())
      return {};
    Value B = findPartner(A);
    if (!B.X.graph() || chance(20)) {
      double Number = isFloat(A.X) ? (1 + below(12)) / 4.0 : 1 + below(3);
      B = {any::full(G, A.X.type(), {}, Number, here()), Number, true};
    }
    bool AreExact = A.IsExact && B.IsExact;
    bool IsNarrow = isFloat(A.X) && A.X.type() != ElementType::Float32;
    auto Make = [&](OpKind Kind, double Most, bool IsExact) {
      return Value{any::binary(Kind, A.X, B.X, here()), Most, IsExact};
    };
    switch (below(isFloat(A.X) ? 6 : isByte(A.X) ? 4 : 5)) {
    case 0:
      return Make(OpKind::Add, A.Most + B.Most, AreExact && !IsNarrow);
    case 1:
      return Make(OpKind::Mul, A.Most * B.Most, AreExact && !isFloat(A.X));
    case 2:
      return Make(OpKind::Min, std::max(A.Most, B.Most), AreExact);
    case 3:
      return Make(OpKind::Max, std::max(A.Most, B.Most), AreExact);
    case 4:
      return Make(OpKind::Sub, A.Most + B.Most, AreExact && !IsNarrow);
    default:
      B.X = atLeastHalf(B.X);
      return Make(OpKind::Div, A.Most * 2, false);
    }
  }

  TensorRef atLeastHalf(TensorRef X) {
    TensorRef Abs = any::unary(OpKind::Abs, X, here());
    return any::binary(OpKind::Add, Abs, 0.5, here());
  }

  Value unary() {
    Value V = find([](const Value &V) { return !isBool(V.X) && !isByte(V.X); });
    if (!V.X.graph())
      return {};
    auto Make = [&](OpKind Kind, TensorRef X, double Most, bool IsExact) {
      return Value{any::unary(Kind, X, here()), Most, IsExact};
    };
    switch (below(isFloat(V.X) ? 11 : 2)) {
    case 0:
      return Make(OpKind::Neg, V.X, V.Most, V.IsExact);
    case 1:
      return Make(OpKind::Abs, V.X, V.Most, V.IsExact);
    case 2:
      return Make(OpKind::Exp, any::binary(OpKind::Min, V.X, 2, here()), 7.5,
                  false);
    case 3:
      return Make(OpKind::Log, atLeastHalf(V.X), 2.2, false);
    case 4:
      return Make(OpKind::Sqrt, atLeastHalf(V.X), 3, false);
    case 5:
      return Make(OpKind::Rsqrt, atLeastHalf(V.X), 1.5, false);
    case 6:
      return {any::sigmoid(V.X, here()), 1, false};
    case 7:
      return {any::tanh(V.X, here()), 1, false};
    case 8:
      return {any::relu(V.X, here()), V.Most, V.IsExact};
    case 9:
      return {any::silu(V.X, here()), V.Most, false};
    default:
      return {any::gelu(V.X, here()), V.Most, false};
    }
  }

  Value compare() {
    Value A = find([](const Value &V) { return V.IsExact; });
    if (!A.X.graph())
      return {};
    Value B = findPartner(A);
    if (!B.X.graph() || !B.IsExact)
      B.X = any::full(G, A.X.type(), {}, 1, here());
    OpKind Kinds[] = {OpKind::Equal, OpKind::Less, OpKind::LessEqual};
    OpKind Kind = Kinds[isBool(A.X) ? 0 : below(3)];
    return {any::binary(Kind, A.X, B.X, here()), 1, true};
  }

  Value where() {
    Value C = find([](const Value &V) { return isBool(V.X); });
    if (!C.X.graph())
      return compare();
    Value A = find([&](const Value &V) { return canBroadcast(V.X, C.X); });
    Value B = A.X.graph() ? findPartner(A) : Value();
    if (!B.X.graph() || !canBroadcast(B.X, C.X))
      return {};
    return {any::where(C.X, A.X, B.X, here()), std::max(A.Most, B.Most),
            A.IsExact && B.IsExact};
  }

  Value cast() {
    Value V = any();
    // Integers only of what is whole, or would be cut off the same everywhere.
    ElementType Types[] = {ElementType::Float32,  ElementType::Float16,
                           ElementType::BFloat16, ElementType::Int32,
                           ElementType::Int64,    ElementType::Bool,
                           ElementType::UInt8};
    size_t Count = !V.IsExact ? 3 : isBool(V.X) || isByte(V.X) ? 7 : 6;
    return {any::cast(V.X, Types[below(Count)], here()),
            isBool(V.X) ? 1 : V.Most, V.IsExact};
  }

  Value permuted() {
    Value V = findAxes(2);
    if (!V.X.graph())
      return {};
    std::vector<int64_t> Axes(shape(V.X).size());
    std::iota(Axes.begin(), Axes.end(), 0);
    for (size_t I = Axes.size(); I > 1; --I)
      std::swap(Axes[I - 1], Axes[below(I)]);
    V.X = any::permute(V.X, Axes, here());
    return V;
  }

  /// One axis in two, two in one, one more, or a longer one.
  Value reshaped() {
    Value V = findAxes(1);
    if (!V.X.graph())
      return {};
    std::vector<Dim> Shape = shape(V.X);
    auto Axis = static_cast<size_t>(anyAxis(V.X));
    Dim One = G.dims().constant(1), Two = G.dims().constant(2);
    auto At = Shape.begin() + static_cast<ptrdiff_t>(Axis);
    if (Shape[Axis] == One && chance(60)) {
      *At = anyExtent();
      V.X = any::expand(V.X, Shape, here());
      return V;
    }
    if (Axis + 1 < Shape.size() && chance(50)) {
      *At = At[0] * At[1];
      Shape.erase(At + 1);
    } else if (isFixed(*At) && At->hi() % 2 == 0 && chance(60)) {
      *At = G.dims().constant(At->hi() / 2);
      Shape.insert(At, Two);
    } else {
      Shape.insert(At, One);
    }
    V.X = any::reshape(V.X, Shape, here());
    return V;
  }

  Value sliced() {
    Value V = findAxes(1);
    if (!V.X.graph())
      return {};
    int64_t Axis = anyAxis(V.X);
    Dim Whole = extent(V.X, Axis), Half = (Whole + 1) / 2;
    if (chance(40)) {
      int64_t Before = below(3), After = below(3);
      V.X = any::pad(V.X, Axis, Before, After, below(2), here());
      return V;
    }
    Dim Start = chance(50) ? Whole - Half : G.dims().constant(0);
    V.X = any::slice(V.X, Axis, Start, Half, here());
    return V;
  }

  Value joined() {
    Value A = findAxes(1);
    if (!A.X.graph())
      return {};
    int64_t Axis = anyAxis(A.X);
    Value B = find([&](const Value &V) {
      std::vector<Dim> P = shape(A.X), Q = shape(V.X);
      if (V.X.type() != A.X.type() || P.size() != Q.size())
        return false;
      P[static_cast<size_t>(Axis)] = Q[static_cast<size_t>(Axis)];
      return P == Q;
    });
    if (!B.X.graph())
      B = A;
    TensorRef Parts[] = {A.X, B.X, A.X};
    return {any::cat(std::span(Parts).first(2 + below(2)), Axis, here()),
            std::max(A.Most, B.Most), A.IsExact && B.IsExact};
  }

  Value windowed() {
    Value V = findAxes(1);
    if (!V.X.graph())
      return {};
    int64_t Axis = anyAxis(V.X), Size = 1 + below(3), Stride = 1 + below(2);
    if (extent(V.X, Axis).lo() < Size)
      V.X = any::pad(V.X, Axis, 1, 1, 0, here());
    V.X = any::window(V.X, Axis, Size, Stride, here());
    return V;
  }

  Value reduced() {
    Value V = find(
        [](const Value &V) { return !isBool(V.X) && !shape(V.X).empty(); });
    if (!V.X.graph())
      return {};
    int64_t Axis = anyAxis(V.X);
    bool Keep = chance(30);
    auto Count = static_cast<double>(extent(V.X, Axis).hi());
    uint32_t Which = below(isFloat(V.X) ? 7 : 3);
    switch (isByte(V.X) ? 1 : Which) {
    case 0:
      return {any::sum(V.X, Axis, Keep, here()), V.Most * Count,
              V.IsExact && !isFloat(V.X)};
    case 1:
      return {any::max_of(V.X, Axis, Keep, here()), V.Most, V.IsExact};
    case 2:
      return V.IsExact
                 ? Value{any::argmax(V.X, Axis, Keep, here()), Count, true}
                 : Value();
    case 3:
      return {any::mean(V.X, Axis, Keep, here()), V.Most, false};
    case 4:
      return {any::softmax(V.X, Axis, here()), 1, false};
    case 5:
      return {any::log_softmax(V.X, Axis, here()), 2 * V.Most + std::log(Count),
              false};
    default:
      return {any::layer_norm(V.X, TensorRef(), TensorRef(), 0.1, here()),
              std::sqrt(static_cast<double>(extent(V.X, -1).hi())), false};
    }
  }

  Value product() {
    Value V = find(
        [](const Value &V) { return isFloat(V.X) && shape(V.X).size() >= 2; });
    if (!V.X.graph())
      return {};
    Dim Columns = extent(V.X, -1);
    TensorRef With = isFixed(Columns)
                         ? weight(V.X.type(), {Columns.hi(), 1 + below(6)})
                         : any::transpose(V.X, -2, -1, here());
    TensorRef R = any::matmul(V.X, With, here());
    return squeezed(R, V.Most * (isFixed(Columns) ? 1 : V.Most) *
                           static_cast<double>(Columns.hi()));
  }

  Value convolved() {
    Value V = find([&](const Value &V) {
      return isFloat(V.X) && shape(V.X).size() == 3 &&
             (isFixed(extent(V.X, 1)) || isFixed(extent(V.X, 2)));
    });
    if (!V.X.graph())
      return {};
    bool IsLast = isFixed(extent(V.X, 2));
    int64_t Channels = extent(V.X, IsLast ? 2 : 1).hi();
    Conv1dOptions O{.stride = 1 + below(2), .padding = 1};
    O.layout = IsLast ? ConvLayout::ChannelsLast : ConvLayout::ChannelsFirst;
    int64_t Groups[] = {1, Channels, Channels % 2 ? 1 : 2};
    O.groups = Groups[below(3)];
    int64_t Results = O.groups * (1 + below(2)), Each = Channels / O.groups;
    TensorRef W = IsLast ? weight(V.X.type(), {3, Each, Results})
                         : weight(V.X.type(), {Results, Each, 3});
    TensorRef Bias = chance(50) ? weight(V.X.type(), {Results}) : TensorRef();
    TensorRef R = any::conv1d(V.X, W, Bias, O, here());
    return squeezed(R, V.Most * 3 * static_cast<double>(Each) + 1);
  }

  /// Of a sum of products, which may cancel: of no great slope.
  Value squeezed(TensorRef X, double Most) {
    X = any::binary(OpKind::Mul, X, 1 / std::max(1.0, Most / 4), here());
    return {chance(50) ? any::tanh(X, here()) : any::sigmoid(X, here()), 1,
            false};
  }

  OpGraph &G;
  std::mt19937 Random;
  std::string Suffix;
  std::vector<Value> Pool;
  Dim Times, Batch;
};

} // namespace

OpGraph jit::randomGraph(uint32_t Seed) {
  OpGraph G;
  Generator(G, Seed, "").run();
  return G;
}

OpGraph jit::randomGraphs(uint32_t First, uint32_t Count) {
  OpGraph G;
  for (uint32_t Seed = First; Seed < First + Count; ++Seed)
    Generator(G, Seed, "_" + std::to_string(Seed)).run();
  return G;
}

std::vector<int64_t> jit::randomVariables(const OpGraph &Graph, uint32_t Seed) {
  std::mt19937 Random(Seed);
  uint32_t How = static_cast<uint32_t>(Random() % 4);
  std::vector<int64_t> Values;
  for (const DimVariable &V : Graph.dims().variables()) {
    auto Span = static_cast<uint64_t>(V.Range.Hi - V.Range.Lo) + 1;
    auto Any = V.Range.Lo + static_cast<int64_t>(Random() % Span);
    Values.push_back(How == 0 ? V.Range.Lo : How == 1 ? V.Range.Hi : Any);
  }
  return Values;
}

std::vector<ReferenceTensor>
jit::randomInputs(const OpGraph &Graph, std::span<const int64_t> Variables,
                  uint32_t Seed) {
  std::vector<ReferenceTensor> Inputs;
  for (const OpInput &I : Graph.inputs()) {
    std::vector<int64_t> Shape;
    for (Dim D : I.Shape)
      Shape.push_back(valueOf(D, Variables));
    Inputs.push_back(numbers(I.Type, std::move(Shape), ++Seed));
    if (Seed % 4 == 0 && I.Type < ElementType::UInt8)
      for (double &Element : Inputs.back().Elements)
        Element = -std::abs(Element);
  }
  return Inputs;
}
