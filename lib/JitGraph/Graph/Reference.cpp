//===- Reference.cpp - reference results of a graph -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kind of node is a loop over the indices of its result. Views select the
// element of the operand.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/Reference.h"
#include "JitGraph/Sizes/DimProgram.h"
#include "JitGraph/Sizes/DimText.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace kpack;
using namespace kpack::jit;

namespace {

using Index = std::vector<int64_t>;

int64_t countOf(const Index &Shape) {
  int64_t Count = 1;
  for (int64_t Extent : Shape)
    Count *= Extent;
  return Count;
}

size_t placeOf(const Index &Shape, const Index &Position) {
  int64_t Place = 0;
  for (size_t I = 0; I < Shape.size(); ++I)
    Place = Place * Shape[I] + Position[I];
  return static_cast<size_t>(Place);
}

/// Calls F(index) for each index, in order.
void forEach(const Index &Shape, auto F) {
  Index Position(Shape.size());
  for (int64_t I = countOf(Shape); I > 0; --I) {
    F(Position);
    for (size_t Axis = Shape.size(); Axis-- > 0;) {
      if (++Position[Axis] < Shape[Axis])
        break;
      Position[Axis] = 0;
    }
  }
}

/// Returns the nearest number with \p Digits binary digits, none below
/// 2^\p Least.
double nearest(double Value, int Digits, int Least) {
  int Exponent = 0;
  std::frexp(Value, &Exponent);
  int Unit = std::max(Exponent - Digits, Least);
  return std::ldexp(std::nearbyint(std::ldexp(Value, -Unit)), Unit);
}

double limited(double Value, double Most) {
  if (std::abs(Value) <= Most)
    return Value;
  return std::copysign(std::numeric_limits<double>::infinity(), Value);
}

double wrapped(double Value, int Bits, bool IsSigned) {
  double Range = std::ldexp(1.0, Bits);
  double Rest = std::fmod(std::trunc(Value), Range);
  if (Rest < (IsSigned ? -Range / 2 : 0))
    Rest += Range;
  if (Rest >= (IsSigned ? Range / 2 : Range))
    Rest -= Range;
  return Rest;
}

} // namespace

double jit::roundedTo(ElementType Type, double Value) {
  bool IsInteger = Type >= ElementType::Int32 && Type <= ElementType::UInt8;
  if (IsInteger && !std::isfinite(Value))
    return 0;
  if (!std::isfinite(Value) && Type != ElementType::Bool)
    return Value;
  switch (Type) {
  case ElementType::Float32:
    return Value;
  case ElementType::Float16:
    return limited(nearest(Value, 11, -24), 65504);
  case ElementType::BFloat16:
    return limited(nearest(Value, 8, -133), std::ldexp(255.0, 120));
  case ElementType::Int32:
    return wrapped(Value, 32, true);
  case ElementType::Int64:
    return wrapped(Value, 64, true);
  case ElementType::UInt8:
    return wrapped(Value, 8, false);
  case ElementType::Bool:
    return Value != 0;
  }
  return Value;
}

namespace {

double halfToDouble(uint16_t Bits) {
  int Exponent = (Bits >> 10) & 31;
  int Fraction = Bits & 1023;
  double Value = Exponent == 31  ? (Fraction ? std::nan("") : INFINITY)
                 : Exponent == 0 ? std::ldexp(Fraction, -24)
                                 : std::ldexp(Fraction + 1024, Exponent - 25);
  return Bits >> 15 ? -Value : Value;
}

template <typename T> T read(const std::byte *Bytes) {
  T Value;
  std::memcpy(&Value, Bytes, sizeof(T));
  return Value;
}

double elementOf(ElementType Type, const std::byte *Bytes) {
  switch (Type) {
  case ElementType::Float32:
    return double{read<float>(Bytes)};
  case ElementType::Float16:
    return halfToDouble(read<uint16_t>(Bytes));
  case ElementType::BFloat16:
    return double{std::bit_cast<float>(uint32_t{read<uint16_t>(Bytes)} << 16)};
  case ElementType::Int32:
    return read<int32_t>(Bytes);
  case ElementType::Int64:
    return static_cast<double>(read<int64_t>(Bytes));
  case ElementType::UInt8:
  case ElementType::Bool:
    return read<uint8_t>(Bytes);
  }
  return 0;
}

double computed(OpKind Kind, double A, double B, double C) {
  switch (Kind) {
  case OpKind::Cast:
    return A;
  case OpKind::Neg:
    return -A;
  case OpKind::Abs:
    return std::abs(A);
  case OpKind::Exp:
    return std::exp(A);
  case OpKind::Log:
    return std::log(A);
  case OpKind::Sqrt:
    return std::sqrt(A);
  case OpKind::Rsqrt:
    return 1 / std::sqrt(A);
  case OpKind::Add:
    return A + B;
  case OpKind::Sub:
    return A - B;
  case OpKind::Mul:
    return A * B;
  case OpKind::Div:
    return A / B;
  case OpKind::Min:
    return std::min(A, B);
  case OpKind::Max:
    return std::max(A, B);
  case OpKind::Less:
    return A < B;
  case OpKind::LessEqual:
    return A <= B;
  case OpKind::Equal:
    return A == B;
  case OpKind::Where:
    return A != 0 ? B : C;
  default:
    return 0;
  }
}

/// Computes a node's value from those of its operands.
class Evaluator {
public:
  Evaluator(const OpGraph &Graph, std::span<const int64_t> Variables,
            std::span<const ReferenceTensor> Inputs,
            const std::vector<ReferenceTensor> &Values)
      : Graph(Graph), Variables(Variables), Inputs(Inputs), Values(Values) {}

  ReferenceTensor run(const OpNode &N) {
    R = {N.Type, getValues(N.Shape), {}};
    R.Elements.resize(static_cast<size_t>(countOf(R.Shape)));
    if (isView(N.Kind))
      view(N);
    else if (isElementwise(N.Kind))
      elementwise(N);
    else if (isReduction(N.Kind))
      reduce(N);
    else if (N.Kind == OpKind::Contract)
      contract(N);
    else if (N.Kind == OpKind::Custom)
      custom(N);
    else
      source(N);
    for (double &Element : R.Elements)
      Element = roundedTo(N.Type, Element);
    return std::move(R);
  }

private:
  Index getValues(std::span<const Dim> Dims) const {
    Index Shape;
    for (Dim D : Dims)
      Shape.push_back(valueOf(D, Variables));
    return Shape;
  }
  const ReferenceTensor &operand(const OpNode &N, size_t I) const {
    return Values[N.Operands[I]];
  }

  void source(const OpNode &N) {
    if (N.Kind == OpKind::Input) {
      R.Elements = Inputs[static_cast<size_t>(N.Numbers[0])].Elements;
    } else if (N.Kind == OpKind::Constant) {
      const OpConstant &C =
          Graph.constants()[static_cast<size_t>(N.Numbers[0])];
      for (size_t I = 0; I < R.Elements.size(); ++I)
        R.Elements[I] = elementOf(N.Type, &C.Bytes[I * sizeOf(N.Type)]);
    } else {
      for (size_t I = 0; I < R.Elements.size(); ++I)
        R.Elements[I] =
            N.Kind == OpKind::Iota ? static_cast<double>(I) : N.Value;
    }
  }

  void view(const OpNode &N) {
    if (N.Kind == OpKind::Reshape) {
      R.Elements = operand(N, 0).Elements;
      return;
    }
    Index Dims = getValues(N.Dims);
    size_t Place = 0;
    forEach(R.Shape, [&](const Index &Position) {
      R.Elements[Place++] = viewed(N, Dims, Position);
    });
  }

  double viewed(const OpNode &N, const Index &Dims, Index Position) const {
    size_t Which = 0;
    Index Source = Position;
    switch (N.Kind) {
    case OpKind::Permute:
      for (size_t I = 0; I < Position.size(); ++I)
        Source[static_cast<size_t>(N.Numbers[I])] = Position[I];
      break;
    case OpKind::Expand:
      for (size_t I = 0; I < Position.size(); ++I)
        Source[I] = operand(N, 0).Shape[I] == 1 ? 0 : Position[I];
      break;
    case OpKind::Slice:
      for (size_t I = 0; I < Position.size(); ++I)
        Source[I] += Dims[I];
      break;
    case OpKind::Pad:
      for (size_t I = 0; I < Position.size(); ++I) {
        Source[I] -= Dims[I];
        if (Source[I] < 0 || Source[I] >= operand(N, 0).Shape[I])
          return N.Value;
      }
      break;
    case OpKind::Concat: {
      auto Axis = static_cast<size_t>(N.Numbers[0]);
      while (Source[Axis] >= operand(N, Which).Shape[Axis])
        Source[Axis] -= operand(N, Which++).Shape[Axis];
      break;
    }
    case OpKind::Window: {
      auto Axis = static_cast<size_t>(N.Numbers[0]);
      Source.pop_back();
      Source[Axis] = Source[Axis] * N.Numbers[2] + Position.back();
      break;
    }
    default:
      break;
    }
    const ReferenceTensor &X = operand(N, Which);
    return X.Elements[placeOf(X.Shape, Source)];
  }

  void elementwise(const OpNode &N) {
    const std::vector<double> *Columns[3];
    for (size_t I = 0; I < 3; ++I)
      Columns[I] = &operand(N, std::min(I, N.Operands.size() - 1)).Elements;
    for (size_t I = 0; I < R.Elements.size(); ++I)
      R.Elements[I] = computed(N.Kind, (*Columns[0])[I], (*Columns[1])[I],
                               (*Columns[2])[I]);
  }

  void reduce(const OpNode &N) {
    const ReferenceTensor &X = operand(N, 0);
    auto Axis = static_cast<size_t>(N.Numbers[0]);
    bool IsSum = N.Kind == OpKind::Sum;
    std::fill(R.Elements.begin(), R.Elements.end(),
              IsSum ? 0 : -std::numeric_limits<double>::infinity());
    size_t Place = 0;
    forEach(X.Shape, [&](Index Position) {
      Position[Axis] = 0;
      double &Target = R.Elements[placeOf(R.Shape, Position)];
      double Element = X.Elements[Place++];
      Target = IsSum ? Target + Element : std::max(Target, Element);
    });
  }

  void contract(const OpNode &N) {
    const ReferenceTensor &A = operand(N, 0), &B = operand(N, 1);
    size_t Rank = R.Shape.size(), Place = 0;
    int64_t K = A.Shape.back(), Columns = R.Shape.back();
    forEach(R.Shape, [&](const Index &Position) {
      Index Left = Position, Right = Position;
      Left[Rank - 1] = 0;
      Right[Rank - 2] = 0;
      size_t L = placeOf(A.Shape, Left), I = placeOf(B.Shape, Right);
      double Sum = 0;
      for (int64_t J = 0; J < K; ++J, ++L, I += static_cast<size_t>(Columns))
        Sum += A.Elements[L] * B.Elements[I];
      R.Elements[Place++] = Sum;
    });
  }

  /// Computes all results of the call and keeps one.
  void custom(const OpNode &N) {
    const OpCustom &C = Graph.customs()[static_cast<size_t>(N.Numbers[0])];
    std::vector<ReferenceTensor> Operands, Results;
    for (uint32_t Operand : N.Operands)
      Operands.push_back(Values[Operand]);
    for (const OpCustom::Output &Output : C.Results) {
      Results.push_back({Output.Type, getValues(Output.Shape), {}});
      Results.back().Elements.resize(
          static_cast<size_t>(countOf(Results.back().Shape)));
    }
    Index Sizes = getValues(std::span(N.Dims).subspan(3));
    C.Reference(Operands, Sizes, Results);
    auto &Kept = Results[static_cast<size_t>(N.Numbers[1])].Elements;
    Kept.resize(R.Elements.size());
    R.Elements = std::move(Kept);
  }

  const OpGraph &Graph;
  std::span<const int64_t> Variables;
  std::span<const ReferenceTensor> Inputs;
  const std::vector<ReferenceTensor> &Values;
  ReferenceTensor R;
};

Status refused(const std::string &Message) {
  return Status(StatusCode::InvalidArgument, Message);
}

Status checkInput(const OpInput &I, const ReferenceTensor &Given,
                  std::span<const int64_t> Variables) {
  Index Shape;
  for (Dim D : I.Shape)
    Shape.push_back(valueOf(D, Variables));
  if (Given.Type != I.Type)
    return refused(I.Name + ": elements are " +
                   std::string(nameOf(Given.Type)) + " and not " +
                   std::string(nameOf(I.Type)) + "; give those");
  if (Given.Shape != Shape ||
      Given.Elements.size() != static_cast<size_t>(countOf(Shape)))
    return refused(I.Name + ": " + std::to_string(Given.Elements.size()) +
                   " elements of another shape; give " +
                   std::to_string(countOf(Shape)));
  return Status::success();
}

Status checkCall(const OpGraph &Graph, std::span<const int64_t> Variables,
                 std::span<const ReferenceTensor> Inputs) {
  if (!Graph.status().ok())
    return Graph.status();
  if (Status Bad = Graph.dims().check(Variables); !Bad.ok())
    return Bad;
  for (const OpGuard &G : Graph.guards()) {
    int64_t A = valueOf(G.A, Variables), B = valueOf(G.B, Variables);
    if (A != B)
      return refused(toText(G.A) + ": " + std::to_string(A) + ", and '" +
                     toText(G.B) + "' is " + std::to_string(B) +
                     "; give sizes for which both are equal");
  }
  for (const OpCustom &C : Graph.customs())
    if (!C.Reference)
      return refused("kernel '" + C.Entry +
                     "': nothing but a compiler knows what it computes; give "
                     "its Grid a reference()");
  if (Inputs.size() != Graph.inputs().size())
    return refused("inputs: " + std::to_string(Inputs.size()) + " for " +
                   std::to_string(Graph.inputs().size()) + "; give each input");
  for (size_t I = 0; I < Inputs.size(); ++I)
    if (Status Bad = checkInput(Graph.inputs()[I], Inputs[I], Variables);
        !Bad.ok())
      return Bad;
  return Status::success();
}

} // namespace

Result<std::vector<ReferenceTensor>>
jit::evaluateNodes(const OpGraph &Graph, std::span<const int64_t> Variables,
                   std::span<const ReferenceTensor> Inputs) {
  if (Status Bad = checkCall(Graph, Variables, Inputs); !Bad.ok())
    return Bad;
  std::vector<ReferenceTensor> Values;
  for (uint32_t I = 0; I < Graph.size(); ++I)
    Values.push_back(
        Evaluator(Graph, Variables, Inputs, Values).run(Graph.node(I)));
  return Values;
}

Result<std::vector<ReferenceTensor>>
jit::evaluate(const OpGraph &Graph, std::span<const int64_t> Variables,
              std::span<const ReferenceTensor> Inputs) {
  Result<std::vector<ReferenceTensor>> Values =
      evaluateNodes(Graph, Variables, Inputs);
  if (!Values)
    return Values;
  std::vector<ReferenceTensor> Outputs;
  for (const OpOutput &Output : Graph.outputs())
    Outputs.push_back((*Values)[Output.Node]);
  return Outputs;
}
