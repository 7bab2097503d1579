//===- KernelWriter.cpp - C++ for the value of an element -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node's value is requested with indices as texts, "i0" and "2*j + 1"; a
// scope computes the same node at the same indices once. Sums have many
// accumulators, so that they are fast although the compiler may not reorder
// them.
//
//===----------------------------------------------------------------------===//
#include "KernelWriter.h"
#include "JitGraph/Graph/StridedView.h"
#include "JitGraph/Sizes/DimText.h"
#include "kpack/JitGraph/Reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace kpack;
using namespace kpack::jit;

std::string KernelWriter::close() {
  std::string Code = std::move(Scopes.back().Code);
  Scopes.pop_back();
  return Code;
}

//===----------------------------------------------------------------------===//
// Types and numbers
//===----------------------------------------------------------------------===//

std::string KernelWriter::computeType(ElementType Type) {
  constexpr const char *Names[] = {"float",     "float",         "float", "int",
                                   "long long", "unsigned char", "bool"};
  return Names[static_cast<size_t>(Type)];
}

std::string KernelWriter::storedType(ElementType Type) {
  if (Type == ElementType::Float16)
    return "_Float16";
  if (Type == ElementType::BFloat16)
    return "kpack_bf16";
  return computeType(Type);
}

std::string KernelWriter::stored(ElementType Type, const std::string &Value) {
  return storedType(Type) == computeType(Type)
             ? Value
             : storedType(Type) + "(" + Value + ")";
}

static bool isFloat(ElementType Type) {
  return Type == ElementType::Float32 || Type == ElementType::Float16 ||
         Type == ElementType::BFloat16;
}

/// Returns a number of the type.
static std::string literal(ElementType Type, double Value) {
  char Text[64];
  Value = roundedTo(Type, Value);
  if (!isFloat(Type)) {
    // 2^63 is the one double that wraps to the minimum.
    int64_t Integer = Value >= 0x1p63 ? INT64_MIN : static_cast<int64_t>(Value);
    // The minimum has no literal.
    std::snprintf(Text, sizeof(Text), "(%lldll - 1)",
                  static_cast<long long>(Integer + 1));
    return "(" + KernelWriter::computeType(Type) + ")" + Text;
  }
  if (std::isnan(Value))
    return "__builtin_nanf(\"\")";
  auto Float = static_cast<float>(Value);
  if (std::isinf(Float)) {
    const char *Most = Type == ElementType::Float16    ? "65504.0f"
                       : Type == ElementType::BFloat16 ? "0x1.fep+127f"
                                                       : "__FLT_MAX__";
    // Without infinities, the greatest number replaces them.
    return std::string(Value < 0 ? "(-" : "(") + "(__FINITE_MATH_ONLY__ ? " +
           Most + " : __builtin_inff()))";
  }
  std::snprintf(Text, sizeof(Text), "%af", static_cast<double>(Float));
  return std::signbit(Value) ? "(" + std::string(Text) + ")" : Text;
}

std::string jit::sizeOperand(Dim D, std::vector<Dim> &Sizes) {
  if (D.isConstant())
    return std::to_string(D.lo());
  auto Found = std::find(Sizes.begin(), Sizes.end(), D);
  if (Found == Sizes.end())
    Found = Sizes.insert(Sizes.end(), D);
  return "n[" + std::to_string(Found - Sizes.begin()) + "]";
}

std::string KernelWriter::size(Dim D) { return sizeOperand(D, Sizes); }

LinearIndex KernelWriter::plus(const LinearIndex &I, Dim D, int64_t Factor) {
  return D.isConstant() ? I.plus(D.lo() * Factor) : I.plusSize(size(D), Factor);
}

std::string KernelWriter::offset(std::span<const int64_t> Strides,
                                 const Indices &Position) {
  LinearIndex Sum;
  for (size_t I = 0; I < Position.size(); ++I)
    Sum = Sum.plus(Position[I].times(Strides[I]));
  return Sum.text();
}

std::string KernelWriter::buffer(uint32_t Node) {
  auto Found = std::find(Reads.begin(), Reads.end(), Node);
  if (Found == Reads.end())
    Found = Reads.insert(Reads.end(), Node);
  // Number 0 is the written buffer.
  return "b" + std::to_string(Found - Reads.begin() + 1);
}

std::string KernelWriter::operations() const {
  std::string Text;
  for (uint32_t Node : Computed)
    Text += (Text.empty() ? "" : ", ") + std::string(nameOf(G.node(Node).Kind));
  return Text.empty() ? "copy" : Text;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

std::string KernelWriter::getKey(uint32_t Node, const Indices &Position) const {
  std::string Key = std::to_string(Node);
  for (const LinearIndex &I : Position)
    Key += "[" + I.text() + "]";
  return Key;
}

const std::string *KernelWriter::known(const std::string &Key) const {
  for (size_t I = Scopes.size(); I-- > 0;)
    if (auto Found = Scopes[I].Known.find(Key); Found != Scopes[I].Known.end())
      return &Found->second;
  return nullptr;
}

unsigned KernelWriter::getDepth(const Indices &Position) const {
  unsigned Depth = Floor;
  for (const LinearIndex &I : Position)
    Depth = std::max(Depth, I.depth());
  return Depth;
}

std::string KernelWriter::declare(const std::string &Key, unsigned Depth,
                                  const std::string &Type,
                                  const std::string &Expression) {
  std::string Name = fresh("v");
  Scopes[Depth].Code += Type + " " + Name + " = " + Expression + ";\n";
  Scopes[Depth].Known[Key] = Name;
  return Name;
}

std::vector<KernelWriter::Scope> KernelWriter::setAside(unsigned Depth) {
  std::vector<Scope> Inner(std::make_move_iterator(Scopes.begin() + Depth + 1),
                           std::make_move_iterator(Scopes.end()));
  Scopes.resize(Depth + 1);
  return Inner;
}

void KernelWriter::putBack(std::vector<Scope> &Inner) {
  std::move(Inner.begin(), Inner.end(), std::back_inserter(Scopes));
}

void KernelWriter::define(uint32_t Node, const Indices &Position,
                          std::string Expression) {
  Scopes.back().Known[getKey(Node, Position)] = std::move(Expression);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string KernelWriter::load(uint32_t Node, const Indices &Position,
                               const std::string &Key) {
  const OpNode &N = G.node(Node);
  std::string Element =
      buffer(Node) + "[" + offset(stridesOf(N.Shape), Position) + "]";
  if (computeType(N.Type) != storedType(N.Type))
    Element = "(" + computeType(N.Type) + ")" + Element;
  return declare(Key, getDepth(Position), computeType(N.Type), Element);
}

std::string KernelWriter::value(uint32_t Node, const Indices &Position) {
  const OpNode &N = G.node(Node);
  if (N.Kind == OpKind::Full)
    return literal(N.Type, N.Value);
  std::string Key = getKey(Node, Position);
  if (const std::string *Name = known(Key))
    return *Name;
  return Chosen.IsStored[Node] ? load(Node, Position, Key)
                               : computed(Node, Position, Key);
}

std::string KernelWriter::computed(uint32_t Node, const Indices &Position) {
  std::string Key = getKey(Node, Position);
  const std::string *Name = known(Key);
  return Name ? *Name : computed(Node, Position, Key);
}

std::string KernelWriter::computed(uint32_t Node, const Indices &Position,
                                   const std::string &Key) {
  const OpNode &N = G.node(Node);
  if (!isView(N.Kind) && !isSource(N.Kind)) {
    Computed.insert(Node);
    if (N.Where.Line && !Where.Line)
      Where = N.Where;
  }
  if (isSource(N.Kind))
    return load(Node, Position, Key);
  if (N.Kind == OpKind::Full)
    return literal(N.Type, N.Value);
  if (N.Kind == OpKind::Iota)
    return "((" + computeType(N.Type) + ")(" + Position[0].text() + "))";
  if (N.Kind == OpKind::Pad || N.Kind == OpKind::Concat) {
    std::string Name = guarded(N, Position);
    return Scopes[getDepth(Position)].Known[Key] = Name;
  }
  if (isView(N.Kind))
    return view(N, Position);
  if (isReduction(N.Kind))
    return reduction(Node, Position);
  if (N.Kind == OpKind::Contract)
    return contraction(Node, Position);
  return declare(Key, getDepth(Position), computeType(N.Type),
                 elementwise(N, Position));
}

std::string KernelWriter::elementwise(const OpNode &N,
                                      const Indices &Position) {
  std::vector<std::string> V;
  for (uint32_t Operand : N.Operands)
    V.push_back(value(Operand, Position));
  auto Call = [&](const char *Function) {
    std::string Text = std::string(Function) + "(" + V[0];
    return Text + (V.size() > 1 ? ", " + V[1] : "") + ")";
  };
  auto Infix = [&](const char *Operator) {
    return V[0] + " " + Operator + " " + V[1];
  };
  switch (N.Kind) {
  case OpKind::Cast:
    return "kpack_cast<" + storedType(N.Type) + ">(" + V[0] + ")";
  case OpKind::Neg:
    return "-(" + V[0] + ")";
  case OpKind::Abs:
    return Call("kpack_abs");
  case OpKind::Exp:
    return Call("kpack_exp");
  case OpKind::Log:
    return Call("__builtin_logf");
  case OpKind::Sqrt:
    return Call("__builtin_sqrtf");
  case OpKind::Rsqrt:
    return "1.0f / " + Call("__builtin_sqrtf");
  case OpKind::Add:
    return Infix("+");
  case OpKind::Sub:
    return Infix("-");
  case OpKind::Mul:
    return Infix("*");
  case OpKind::Div:
    return Infix("/");
  case OpKind::Min:
    return Call("kpack_min");
  case OpKind::Max:
    return Call("kpack_max");
  case OpKind::Less:
    return Infix("<");
  case OpKind::LessEqual:
    return Infix("<=");
  case OpKind::Equal:
    return Infix("==");
  default:
    return V[0] + " ? " + V[1] + " : " + V[2];
  }
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

std::string KernelWriter::view(const OpNode &N, const Indices &Position) {
  uint32_t Operand = N.Operands[0];
  const std::vector<Dim> &Old = G.node(Operand).Shape;
  Indices Source(Old.size());
  switch (N.Kind) {
  case OpKind::Permute:
    for (size_t I = 0; I < Position.size(); ++I)
      Source[static_cast<size_t>(N.Numbers[I])] = Position[I];
    return value(Operand, Source);
  case OpKind::Expand:
    for (size_t I = 0; I < Position.size(); ++I)
      if (!Old[I].isConstant() || Old[I].lo() != 1)
        Source[I] = Position[I];
    return value(Operand, Source);
  case OpKind::Slice:
    for (size_t I = 0; I < Position.size(); ++I)
      Source[I] = plus(Position[I], N.Dims[I], 1);
    return value(Operand, Source);
  case OpKind::Window: {
    auto Axis = static_cast<size_t>(N.Numbers[0]);
    std::copy(Position.begin(), Position.end() - 1, Source.begin());
    Source[Axis] = Position[Axis].times(N.Numbers[2]).plus(Position.back());
    return value(Operand, Source);
  }
  default:
    return reshape(N, Position);
  }
}

/// For each group of axes, counts the elements and finds them in the other
/// shape.
std::string KernelWriter::reshape(const OpNode &N, const Indices &Position) {
  uint32_t Operand = N.Operands[0];
  const std::vector<Dim> &Old = G.node(Operand).Shape;
  auto IsOne = [](Dim D) { return D.isConstant() && D.lo() == 1; };
  Indices Source(Old.size());
  for (const AxisGroup &Group : axisGroups(G.dims(), Old, N.Shape)) {
    LinearIndex Linear;
    for (size_t I = Group.NewBegin; I < Group.NewEnd; ++I) {
      if (IsOne(N.Shape[I]))
        continue;
      Linear = N.Shape[I].isConstant() ? Linear.times(N.Shape[I].lo())
                                       : Linear.timesSize(size(N.Shape[I]));
      Linear = Linear.plus(Position[I]);
    }
    std::vector<size_t> Axes;
    for (size_t I = Group.OldBegin; I < Group.OldEnd; ++I)
      if (!IsOne(Old[I]))
        Axes.push_back(I);
    for (size_t A = Axes.size(); A-- > 0;) {
      Dim Extent = Old[Axes[A]];
      LinearIndex &Index = Source[Axes[A]];
      if (A == 0) {
        Index = Linear;
      } else if (Extent.isConstant()) {
        Index = Linear.remainderBy(Extent.lo());
        Linear = Linear.dividedBy(Extent.lo());
      } else {
        Index = Linear.remainderOfSize(size(Extent));
        Linear = Linear.dividedBySize(size(Extent));
      }
    }
  }
  return value(Operand, Source);
}

/// Reads a pad or a concatenation, whose source depends on the index.
std::string KernelWriter::guarded(const OpNode &N, const Indices &Position) {
  unsigned Depth = getDepth(Position);
  std::vector<Scope> Inner = setAside(Depth);
  unsigned OldFloor = std::exchange(Floor, Depth + 1);
  std::string Name = fresh("v");
  bool IsPad = N.Kind == OpKind::Pad;
  line(computeType(N.Type) + " " + Name + " = " +
       (IsPad ? literal(N.Type, N.Value) : std::string("0")) + ";");

  Indices Source = Position;
  auto Axis = IsPad ? 0 : static_cast<size_t>(N.Numbers[0]);
  Dim Start = G.dims().constant(0);
  std::string Else;
  for (uint32_t Operand : N.Operands) {
    const std::vector<Dim> &Shape = G.node(Operand).Shape;
    std::string Condition;
    auto Require = [&](const std::string &Text) {
      Condition += (Condition.empty() ? "" : " && ") + Text;
    };
    for (size_t I = 0; I < Position.size() && IsPad; ++I) {
      Source[I] = plus(Position[I], N.Dims[I], -1);
      if (Shape[I] == N.Shape[I])
        continue;
      Require("(" + Source[I].text() + ") >= 0");
      Require("(" + Source[I].text() + ") < " + size(Shape[I]));
    }
    if (!IsPad) {
      Source[Axis] = plus(Position[Axis], Start, -1);
      Require("(" + Source[Axis].text() + ") < " + size(Shape[Axis]));
      Start = Start + Shape[Axis];
    }
    // Values of the operand get names in this scope, or nested texts keep
    // growing.
    open();
    std::string Value = value(Operand, Source);
    line(Name + " = " + Value + ";");
    std::string Code = close();
    line(Else + "if (" + (Condition.empty() ? "true" : Condition) + ") {\n" +
         Code + "}");
    Else = "else ";
  }
  Floor = OldFloor;
  putBack(Inner);
  return Name;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Returns a statement that initialises \p Accumulator.
static std::string begun(const OpNode &N, const std::string &Accumulator) {
  return N.Kind == OpKind::Sum ? Accumulator + " = 0;"
                               : "kpack_lowest(" + Accumulator + ");";
}

/// Returns a statement that combines \p Accumulator with \p Value.
static std::string combined(const OpNode &N, const std::string &Accumulator,
                            const std::string &Value) {
  return N.Kind == OpKind::Sum
             ? Accumulator + " = " + Accumulator + " + " + Value + ";"
             : "kpack_raise(" + Accumulator + ", " + Value + ");";
}

std::string KernelWriter::body(uint32_t Node, size_t Axis,
                               const Indices &Position,
                               const std::string &Counter, std::string &Value) {
  Indices Inner = Position;
  Inner[Axis] =
      LinearIndex::counter(Counter, static_cast<unsigned>(Scopes.size()),
                           G.node(Node).Shape[Axis].hi() - 1);
  open();
  Value = value(Node, Inner);
  return close();
}

/// Reduces over the lanes of a vector, or over the threads of a block if all of
/// them execute this at once.
std::string KernelWriter::reduceRow(const OpNode &N, const std::string &Name,
                                    const Indices &Position) {
  auto Axis = static_cast<size_t>(N.Numbers[0]);
  std::string Type = computeType(N.Type), K = fresh("k"), Value;
  std::string Extent = size(G.node(N.Operands[0]).Shape[Axis]);
  bool IsBlock = Target != GraphTarget::Cpu && Scopes.size() <= Together;
  // In the loop each thread is at a different element.
  size_t Around = std::exchange(Together, IsBlock ? Scopes.size() : Together);
  std::string Code = body(N.Operands[0], Axis, Position, K, Value);
  Together = Around;
  if (IsBlock)
    return begun(N, Name) + "\nfor (long long " + K + " = threadIdx.x; " + K +
           " < " + Extent + "; " + K + " += blockDim.x) {\n" + Code +
           combined(N, Name, Value) + "\n}\nkpack_block_" +
           (N.Kind == OpKind::Sum ? "sum" : "max") + "(" + Name + ");";
  if (Target != GraphTarget::Cpu || Scopes.size() > InRow + 1)
    return begun(N, Name) + "\nfor (long long " + K + " = 0; " + K + " < " +
           Extent + "; ++" + K + ") {\n" + Code + combined(N, Name, Value) +
           "\n}";
  // A compiler that unrolls these loops takes three times as long, and kernels
  // are no faster.
  constexpr const char *Rolled = "#pragma clang loop unroll(disable)\n";
  std::string Lanes = std::to_string(RowLanes), First = K + "f";
  std::string Text =
      "{\n" + Type + " part[" + Lanes + "];\nfor (int q = 0; q < " + Lanes +
      "; ++q)\n" + begun(N, "part[q]") + "\nlong long " + First + " = 0;\n" +
      Rolled + "for (; " + First + " + " + Lanes + " <= " + Extent + "; " +
      First + " += " + Lanes + ")\n" + Rolled + "for (int q = 0; q < " + Lanes +
      "; ++q) {\nlong long " + K + " = " + First + " + q;\n" + Code +
      combined(N, "part[q]", Value) + "\n}\n";
  Dim Length = G.node(N.Operands[0]).Shape[Axis];
  if (!Length.isConstant() || Length.lo() % RowLanes != 0)
    Text += "#pragma clang loop vectorize(disable) unroll(disable)\n"
            "for (long long " +
            K + " = " + First + "; " + K + " < " + Extent + "; ++" + K +
            ") {\n" + Code + combined(N, "part[0]", Value) + "\n}\n";
  return Text + Name + " = part[0];\nfor (int q = 1; q < " + Lanes +
         "; ++q)\n" + combined(N, Name, "part[q]") + "\n}";
}

/// Reduces for all elements of the tile at once, in the scope around the
/// elements.
void KernelWriter::reduceTile(const OpNode &N, const std::string &Name,
                              const Indices &Position) {
  auto Axis = static_cast<size_t>(N.Numbers[0]);
  std::string K = fresh("k"), Value;
  std::string Extent = size(G.node(N.Operands[0]).Shape[Axis]);
  std::string Code = body(N.Operands[0], Axis, Position, K, Value);
  line(computeType(N.Type) + " " + Name + "[" + std::to_string(TileSize) +
       "];\nfor (int l = 0; l < width; ++l)\n" + begun(N, Name + "[l]") +
       "\nfor (long long " + K + " = 0; " + K + " < " + Extent + "; ++" + K +
       ")\nfor (int l = 0; l < width; ++l) {\nlong long j = tile + l;\n" +
       Code + combined(N, Name + "[l]", Value) + "\n}");
}

std::string KernelWriter::reduction(uint32_t Node, const Indices &Position) {
  const OpNode &N = G.node(Node);
  std::string Key = getKey(Node, Position);
  unsigned Depth = getDepth(Position);
  bool IsTiled = HasTiles && Depth == InElement && Floor <= InTile;
  UsesTiles |= IsTiled;
  if (IsTiled)
    Depth = InTile;
  std::vector<Scope> Inner = setAside(Depth);
  std::string Name = fresh("r");
  if (IsTiled) {
    reduceTile(N, Name, Position);
    Name += "[l]";
  } else {
    line(computeType(N.Type) + " " + Name + ";");
    // Two steps, as the body may put statements before the loop.
    std::string Code = reduceRow(N, Name, Position);
    line(Code);
    Scopes.back().Known[Key] = Name;
  }
  putBack(Inner);
  if (IsTiled)
    Scopes[InElement].Known[Key] = Name;
  return Name;
}

/// Computes a contraction that is not the kernel's own with a loop for each
/// element. Fusion does not choose that; it makes any choice right.
std::string KernelWriter::contraction(uint32_t Node, const Indices &Position) {
  const OpNode &N = G.node(Node);
  size_t Rank = Position.size();
  unsigned Depth = getDepth(Position);
  std::vector<Scope> Inner = setAside(Depth);
  std::string Name = fresh("r"), K = fresh("k");
  std::string Extent = size(G.node(N.Operands[0]).Shape[Rank - 1]);
  line(computeType(N.Type) + " " + Name + " = 0;");
  Indices A = Position, B = Position;
  A[Rank - 1] = B[Rank - 2] =
      LinearIndex::counter(K, static_cast<unsigned>(Scopes.size()),
                           G.node(N.Operands[0]).Shape[Rank - 1].hi() - 1);
  open();
  std::string Left = value(N.Operands[0], A), Right = value(N.Operands[1], B);
  line(Name + " += " + Left + " * " + Right + ";");
  std::string Code = close();
  line("for (long long " + K + " = 0; " + K + " < " + Extent + "; ++" + K +
       ") {\n" + Code + "}");
  Scopes.back().Known[getKey(Node, Position)] = Name;
  putBack(Inner);
  return Name;
}
