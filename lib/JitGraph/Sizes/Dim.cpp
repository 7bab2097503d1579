//===- Dim.cpp - symbolic sizes of tensors --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface around DimBuilder: checks operands, adds the expression to
// failures, and remembers the first failure of operators without a Result.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/Dim.h"

#include "DimBuilder.h"
#include "DimRange.h"
#include "JitGraph/Sizes/DimText.h"

#include <cctype>

using namespace kpack;
using namespace kpack::jit;

/// Limit of an operand's text in a message.
static constexpr size_t MostText = 60;

static std::string shortText(Dim E) {
  std::string Text = toText(E);
  return Text.size() <= MostText ? Text : Text.substr(0, MostText) + "...";
}

static Status refused(const std::string &Object, const std::string &Why) {
  return Status(StatusCode::InvalidArgument, Object + ": " + Why);
}

static Status checkOperand(const DimContext &Context, Dim E) {
  if (!E.valid())
    return refused("operand", "invalid; ask DimContext::status() for the "
                              "operation that made it");
  if (&E.context() != &Context)
    return refused(shortText(E), "of another graph; use the dimensions of the "
                                 "graph that is being built");
  return Status::success();
}

bool Dim::valid() const { return Node && Node->What != DimNode::Kind::Invalid; }

DimRange Dim::range() const {
  assert(valid() && "an invalid Dim has no bounds");
  return Node->Range;
}

DimContext &Dim::context() const {
  assert(Node && "a Dim of no context");
  return *Node->Context;
}

DimContext::DimContext() : Builder(std::make_unique<DimBuilder>(*this)) {}
DimContext::~DimContext() = default;

Dim DimContext::constant(int64_t Value) {
  if (!isRepresentable(Value))
    return refuse(refused(std::to_string(Value),
                          "not used for sizes, it has no negative; give a "
                          "larger number"));
  return Dim(Builder->constant(Value));
}

static bool isIdentifier(const std::string &Name) {
  auto IsWordChar = [](unsigned char C) { return std::isalnum(C) || C == '_'; };
  return !Name.empty() && !std::isdigit(static_cast<unsigned char>(Name[0])) &&
         std::all_of(Name.begin(), Name.end(), IsWordChar);
}

Result<Dim> DimContext::variable(std::string Name, DimRange Range) {
  if (!isIdentifier(Name))
    return refused("variable '" + Name + "'",
                   "not an identifier; use letters, digits and '_'");
  for (const DimVariable &Other : variables())
    if (Other.Name == Name)
      return refused(Name, "a second variable of this name; give it another");
  if (Range.Lo > Range.Hi || !isRepresentable(Range.Lo))
    return refused(Name, "bounds " + std::to_string(Range.Lo) + " to " +
                             std::to_string(Range.Hi) +
                             "; give a lower bound that is not above the "
                             "upper one");
  DimBuilder::NodeResult Node = Builder->variable(std::move(Name), Range);
  if (!Node)
    return Node.status();
  return Dim(*Node);
}

const std::vector<DimVariable> &DimContext::variables() const {
  return Builder->Variables;
}

Status DimContext::check(std::span<const int64_t> Values) const {
  const std::vector<DimVariable> &Variables = variables();
  if (Values.size() != Variables.size())
    return refused("variables", std::to_string(Values.size()) + " values for " +
                                    std::to_string(Variables.size()) +
                                    "; give one for each");
  for (size_t I = 0; I < Values.size(); ++I)
    if (const DimVariable &V = Variables[I]; !V.Range.contains(Values[I]))
      return refused(V.Name, std::to_string(Values[I]) + " is not within " +
                                 std::to_string(V.Range.Lo) + " to " +
                                 std::to_string(V.Range.Hi) +
                                 "; prepare the graph with wider bounds");
  return Status::success();
}

/// Applies \p Operation to the operands, if they are of \p Context.
template <typename Function>
static Result<Dim> combined(const DimContext &Context, Dim A, const char *Sign,
                            Dim B, Function Operation) {
  for (Dim Operand : {A, B})
    if (Status S = checkOperand(Context, Operand); !S.ok())
      return S;
  DimBuilder::NodeResult Node = Operation(A.node(), B.node());
  if (!Node)
    return refused("(" + shortText(A) + ") " + Sign + " (" + shortText(B) + ")",
                   Node.status().message());
  return Dim(*Node);
}

Result<Dim> DimContext::add(Dim A, Dim B) {
  return combined(*this, A, "+", B, [&](const DimNode *X, const DimNode *Y) {
    return Builder->add(X, Y);
  });
}

Result<Dim> DimContext::sub(Dim A, Dim B) {
  return combined(*this, A, "-", B, [&](const DimNode *X, const DimNode *Y) {
    return Builder->add(X, Y, -1);
  });
}

Result<Dim> DimContext::mul(Dim A, Dim B) {
  return combined(*this, A, "*", B, [&](const DimNode *X, const DimNode *Y) {
    return Builder->mul(X, Y);
  });
}

Result<Dim> DimContext::floorDiv(Dim A, Dim B) {
  return combined(*this, A, "/", B, [&](const DimNode *X, const DimNode *Y) {
    return Builder->floorDiv(X, Y);
  });
}

Result<Dim> DimContext::ceilDiv(Dim A, Dim B) {
  return combined(*this, A, "/", B, [&](const DimNode *X, const DimNode *Y) {
    return Builder->ceilDiv(X, Y);
  });
}

Result<Dim> DimContext::mod(Dim A, Dim B) {
  return combined(*this, A, "%", B, [&](const DimNode *X, const DimNode *Y) {
    return Builder->mod(X, Y);
  });
}

Result<Dim> DimContext::min(Dim A, Dim B) {
  return combined(*this, A, "min", B, [&](const DimNode *X, const DimNode *Y) {
    return Builder->extreme(DimNode::Kind::Min, X, Y);
  });
}

Result<Dim> DimContext::max(Dim A, Dim B) {
  return combined(*this, A, "max", B, [&](const DimNode *X, const DimNode *Y) {
    return Builder->extreme(DimNode::Kind::Max, X, Y);
  });
}

Result<Dim> DimContext::substitute(Dim E,
                                   std::span<const std::pair<Dim, Dim>> New) {
  if (Status S = checkOperand(*this, E); !S.ok())
    return S;
  DimBuilder::Replacements Known;
  for (const auto &[Variable, Value] : New) {
    for (Dim Operand : {Variable, Value})
      if (Status S = checkOperand(*this, Operand); !S.ok())
        return S;
    if (Variable.node()->What != DimNode::Kind::Variable)
      return refused(shortText(Variable),
                     "not a variable; replace the variables in it");
    if (!Variable.range().contains(Value.lo()) ||
        !Variable.range().contains(Value.hi()))
      return refused(shortText(Variable), shortText(Value) + " is not within " +
                                              std::to_string(Variable.lo()) +
                                              " to " +
                                              std::to_string(Variable.hi()) +
                                              "; replace it with what is");
    Known[Variable.node()] = Value.node();
  }
  DimBuilder::NodeResult Node = Builder->substitute(E.node(), Known);
  if (!Node)
    return refused(shortText(E), Node.status().message());
  return Dim(*Node);
}

bool DimContext::provablyEqual(Dim A, Dim B) {
  return provablyLessEqual(A, B) && provablyLessEqual(B, A);
}

bool DimContext::provablyLess(Dim A, Dim B) {
  return checkOperand(*this, A).ok() && checkOperand(*this, B).ok() &&
         Builder->isProvablyBelow(A.node(), B.node(), 1);
}

bool DimContext::provablyLessEqual(Dim A, Dim B) {
  return checkOperand(*this, A).ok() && checkOperand(*this, B).ok() &&
         Builder->isProvablyBelow(A.node(), B.node(), 0);
}

const Status &DimContext::status() const { return Builder->FirstFailure; }

Dim DimContext::refuse(Status Why) {
  if (Builder->FirstFailure.ok())
    Builder->FirstFailure = std::move(Why);
  return Dim(Builder->invalid());
}

using Operation = Result<Dim> (DimContext::*)(Dim, Dim);

/// Keeps invalid operands invalid; the context of either operand has the
/// failure.
static Dim formula(Operation O, Dim A, Dim B) {
  if (!A.valid() || !B.valid())
    return A.valid() || !A.node() ? B.valid() ? A : B : A;
  Result<Dim> R = (A.context().*O)(A, B);
  return R ? *R : A.context().refuse(R.status());
}

Dim kpack::jit::operator+(Dim A, Dim B) {
  return formula(&DimContext::add, A, B);
}
Dim kpack::jit::operator-(Dim A, Dim B) {
  return formula(&DimContext::sub, A, B);
}
Dim kpack::jit::operator*(Dim A, Dim B) {
  return formula(&DimContext::mul, A, B);
}
Dim kpack::jit::operator/(Dim A, Dim B) {
  return formula(&DimContext::floorDiv, A, B);
}
Dim kpack::jit::operator%(Dim A, Dim B) {
  return formula(&DimContext::mod, A, B);
}
Dim kpack::jit::ceilDiv(Dim A, Dim B) {
  return formula(&DimContext::ceilDiv, A, B);
}
Dim kpack::jit::min(Dim A, Dim B) { return formula(&DimContext::min, A, B); }
Dim kpack::jit::max(Dim A, Dim B) { return formula(&DimContext::max, A, B); }

/// Returns \p Value in the context of \p Beside.
static Dim constantFor(Dim Beside, int64_t Value) {
  return Beside.node() ? Beside.context().constant(Value) : Dim();
}

Dim kpack::jit::operator+(Dim A, int64_t B) { return A + constantFor(A, B); }
Dim kpack::jit::operator-(Dim A, int64_t B) { return A - constantFor(A, B); }
Dim kpack::jit::operator*(Dim A, int64_t B) { return A * constantFor(A, B); }
Dim kpack::jit::operator/(Dim A, int64_t B) { return A / constantFor(A, B); }
Dim kpack::jit::operator%(Dim A, int64_t B) { return A % constantFor(A, B); }
Dim kpack::jit::ceilDiv(Dim A, int64_t B) {
  return ceilDiv(A, constantFor(A, B));
}
Dim kpack::jit::min(Dim A, int64_t B) { return min(A, constantFor(A, B)); }
Dim kpack::jit::max(Dim A, int64_t B) { return max(A, constantFor(A, B)); }
Dim kpack::jit::operator+(int64_t A, Dim B) { return constantFor(B, A) + B; }
Dim kpack::jit::operator-(int64_t A, Dim B) { return constantFor(B, A) - B; }
Dim kpack::jit::operator*(int64_t A, Dim B) { return constantFor(B, A) * B; }
