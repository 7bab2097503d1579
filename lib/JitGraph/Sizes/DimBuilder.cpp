//===- DimBuilder.cpp - arithmetic on symbolic sizes ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and products are normal by construction (DimSum.h). Quotients become
// equal because as much as possible is taken out of them:
//
//   floordiv(4*b + t + 5, 4)            =  b + 1 + floordiv(t + 1, 4)
//   floordiv(6*t + 3, 4)                =  t + floordiv(2*t + 3, 4)
//                                       =  t + floordiv(t + 1, 2)
//   floordiv(floordiv(t, 2) + 1, 3)     =  floordiv(t + 2, 6)
//
// so that (t - 1) / 2 + 1 and (t + 1) / 2 are one node. All of these hold for
// negative numbers, too, since quotients are rounded down. Bounds simplify
// further: mod(t, 8) with t below 8 is t, as is min(t, 3000) with t below 3000.
//
//===----------------------------------------------------------------------===//
#include "DimBuilder.h"

#include "DimRange.h"
#include "DimSum.h"

#include <bit>

using namespace kpack;
using namespace kpack::jit;

DimBuilder::DimBuilder(DimContext &C) : Context(C) {
  Invalid = keep({static_cast<int64_t>(Kind::Invalid)}, DimNode());
}

static size_t mixed(size_t Hash, size_t Value) {
  return (std::rotl(Hash, 23) ^ Value) * size_t{0x9e3779b97f4a7c15};
}

size_t DimBuilder::KeyHash::operator()(const Key &NodeKey) const {
  size_t Hash = NodeKey.size();
  for (int64_t Word : NodeKey)
    Hash = mixed(Hash, static_cast<size_t>(Word));
  return Hash;
}

size_t DimBuilder::StepHash::operator()(const Step &Wanted) const {
  return mixed(mixed(Wanted.A->Id, Wanted.B->Id),
               static_cast<size_t>(Wanted.Factor));
}

/// Returns the node that \p NodeKey describes, or null.
const DimNode *DimBuilder::find(const Key &NodeKey) const {
  auto Found = Nodes.find(NodeKey);
  return Found == Nodes.end() ? nullptr : Found->second.get();
}

const DimNode *DimBuilder::keep(Key NodeKey, DimNode Node) {
  Node.Context = &Context;
  Node.Id = static_cast<unsigned>(Nodes.size()) + 1;
  std::unique_ptr<DimNode> &Kept = Nodes[std::move(NodeKey)];
  assert(!Kept && "it was looked for");
  Kept = std::make_unique<DimNode>(std::move(Node));
  return Kept.get();
}

const DimNode *DimBuilder::atom(Kind AtomKind, DimRange Range,
                                DimProduct Operands, unsigned Variable) {
  Key NodeKey = {static_cast<int64_t>(AtomKind), Variable};
  for (const DimNode *Operand : Operands)
    NodeKey.push_back(Operand->Id);
  if (const DimNode *Known = find(NodeKey))
    return Known;
  DimNode Node;
  Node.What = AtomKind;
  Node.Range = Range;
  Node.Operands = std::move(Operands);
  Node.Variable = Variable;
  return keep(std::move(NodeKey), std::move(Node));
}

DimBuilder::NodeResult DimBuilder::node(const DimSum &Sum) {
  if (Sum.Terms.size() == 1 && Sum.Constant == 0) {
    const auto &[Product, Factor] = *Sum.Terms.begin();
    if (Factor == 1 && Product.size() == 1)
      return Product.front();
  }
  // Look up first: computing bounds takes longer.
  Key NodeKey = {static_cast<int64_t>(Kind::Sum), Sum.Constant};
  for (const auto &[Product, Factor] : Sum.Terms) {
    NodeKey.push_back(Factor);
    NodeKey.push_back(static_cast<int64_t>(Product.size()));
    for (const DimNode *Atom : Product)
      NodeKey.push_back(Atom->Id);
  }
  if (const DimNode *Known = find(NodeKey))
    return Known;
  Result<DimRange> Range = getRange(Sum);
  if (!Range)
    return Range.status();
  if (!Sum.Terms.empty() && Range->Lo == Range->Hi)
    return constant(Range->Lo);
  DimNode Node;
  Node.What = Kind::Sum;
  Node.Range = *Range;
  Node.Sum = Sum;
  return keep(std::move(NodeKey), std::move(Node));
}

const DimNode *DimBuilder::constant(int64_t Value) {
  if (!isRepresentable(Value))
    return Invalid;
  const DimNode *&Known = Constants[Value];
  if (Known)
    return Known;
  DimSum Sum;
  Sum.Constant = Value;
  return Known = *node(Sum);
}

DimBuilder::NodeResult DimBuilder::variable(std::string Name, DimRange Range) {
  unsigned Place = static_cast<unsigned>(Variables.size());
  Variables.push_back({std::move(Name), Range});
  if (Range.Lo == Range.Hi)
    return constant(Range.Lo);
  return atom(Kind::Variable, Range, {}, Place);
}

DimBuilder::NodeResult DimBuilder::add(const DimNode *A, const DimNode *B,
                                       int64_t Factor) {
  Step Now{A, B, Factor};
  if (auto Found = Steps.find(Now); Found != Steps.end() && Factor != 0)
    return Found->second;
  Result<DimSum> Sum = addScaled(computeSum(A), computeSum(B), Factor);
  NodeResult Result = Sum ? node(*Sum) : Sum.status();
  if (Result && Factor != 0)
    Steps.emplace(Now, *Result);
  return Result;
}

DimBuilder::NodeResult DimBuilder::mul(const DimNode *A, const DimNode *B) {
  // Most products of shapes have a factor 1.
  const DimNode *One = constant(1);
  if (A == One || B == One)
    return A == One ? B : A;
  Step Now{A->Id < B->Id ? A : B, A->Id < B->Id ? B : A, 0};
  if (auto Found = Steps.find(Now); Found != Steps.end())
    return Found->second;
  Result<DimSum> Product = multiply(computeSum(A), computeSum(B));
  NodeResult Result = Product ? node(*Product) : Product.status();
  if (Result)
    Steps.emplace(Now, *Result);
  return Result;
}

/// Checks the divisor of both kinds of division.
static Status checkDivisor(const DimNode *Divisor) {
  if (Divisor->Range.Lo >= 1)
    return Status::success();
  return Status(StatusCode::InvalidArgument,
                "the divisor may be " + std::to_string(Divisor->Range.Lo) +
                    "; raise the lower bounds of its variables until it is 1 "
                    "or more");
}

DimBuilder::NodeResult DimBuilder::floorDiv(const DimNode *A,
                                            const DimNode *B) {
  if (Status S = checkDivisor(B); !S.ok())
    return S;
  if (A == B)
    return constant(1);
  DimDivision D = divide(computeSum(A), computeSum(B));
  NodeResult Visible = node(D.Quotient);
  if (!Visible)
    return Visible;
  NodeResult Hidden = quotient(D.Rest, B);
  return Hidden ? add(*Visible, *Hidden) : Hidden;
}

DimBuilder::NodeResult DimBuilder::quotient(const DimSum &A, const DimNode *B) {
  // floordiv(6*t + 3, 4): divide by the common divisor 2.
  if (int64_t G = commonDivisor(A, B->Range.Lo);
      G > 1 && B->Range.Lo == B->Range.Hi) {
    NodeResult Part = node(dividedBy(A, G));
    return Part ? floorDiv(*Part, constant(B->Range.Lo / G)) : Part;
  }
  NodeResult Dividend = node(A);
  if (!Dividend)
    return Dividend;
  DimRange Range = floorDivRanges((*Dividend)->Range, B->Range);
  if (Range.Lo == Range.Hi)
    return constant(Range.Lo);

  // floordiv(floordiv(t, 2) + 1, 3): divide by 6 at once, if it fits.
  if (A.Terms.size() == 1 && A.Terms.begin()->second == 1 &&
      A.Terms.begin()->first.size() == 1) {
    const DimNode *Inner = A.Terms.begin()->first.front();
    if (Inner->What == Kind::FloorDiv) {
      NodeResult Both = mul(Inner->Operands[1], B);
      NodeResult Shift = mul(Inner->Operands[1], constant(A.Constant));
      if (Both && Shift)
        if (NodeResult Sum = add(Inner->Operands[0], *Shift))
          return floorDiv(*Sum, *Both);
    }
  }
  return atom(Kind::FloorDiv, Range, {*Dividend, B});
}

/// Rounding up is rounding down a greater dividend.
DimBuilder::NodeResult DimBuilder::ceilDiv(const DimNode *A, const DimNode *B) {
  NodeResult Less = add(B, constant(1), -1);
  if (!Less)
    return Less;
  NodeResult More = add(A, *Less);
  return More ? floorDiv(*More, B) : More;
}

DimBuilder::NodeResult DimBuilder::mod(const DimNode *A, const DimNode *B) {
  if (Status S = checkDivisor(B); !S.ok())
    return S;
  if (A == B)
    return constant(0);
  return remainder(divide(computeSum(A), computeSum(B)).Rest, B);
}

DimBuilder::NodeResult DimBuilder::remainder(const DimSum &A,
                                             const DimNode *B) {
  // mod(4*t + 3, 6) = 2 * mod(2*t + 1, 3) + 1
  if (int64_t G = commonDivisor(A, B->Range.Lo);
      G > 1 && B->Range.Lo == B->Range.Hi) {
    NodeResult Part = node(dividedBy(A, G));
    if (Part)
      Part = mod(*Part, constant(B->Range.Lo / G));
    if (!Part)
      return Part;
    NodeResult Times = mul(*Part, constant(G));
    return Times ? add(*Times, constant(floorRemainder(A.Constant, G))) : Times;
  }
  NodeResult Dividend = node(A);
  if (!Dividend)
    return Dividend;
  // If only one quotient is possible, the remainder is a difference.
  DimRange Quotient = floorDivRanges((*Dividend)->Range, B->Range);
  if (Quotient.Lo == Quotient.Hi)
    return add(*Dividend, B, -Quotient.Lo);
  return atom(Kind::Mod, modRanges((*Dividend)->Range, B->Range),
              {*Dividend, B});
}

/// The operands of min(min(a, b), c) are a, b and c.
static void flatten(DimNode::Kind Kind, const DimNode *Node, DimProduct &Into) {
  if (Node->What == Kind)
    Into.insert(Into.end(), Node->Operands.begin(), Node->Operands.end());
  else
    Into.push_back(Node);
}

DimBuilder::NodeResult DimBuilder::extreme(Kind Operation, const DimNode *A,
                                           const DimNode *B) {
  bool IsMin = Operation == Kind::Min;
  DimProduct All;
  flatten(Operation, A, All);
  flatten(Operation, B, All);
  // Drops an operand that another one beats at all values, and the second of
  // two equal ones.
  auto Beats = [&](const DimNode *X, const DimNode *Y) {
    return IsMin ? isProvablyBelow(X, Y, 0) : isProvablyBelow(Y, X, 0);
  };
  DimProduct Left;
  for (const DimNode *Next : All) {
    if (std::any_of(Left.begin(), Left.end(),
                    [&](const DimNode *Old) { return Beats(Old, Next); }))
      continue;
    Left.erase(
        std::remove_if(Left.begin(), Left.end(),
                       [&](const DimNode *Old) { return Beats(Next, Old); }),
        Left.end());
    Left.push_back(Next);
  }
  if (Left.size() == 1)
    return Left.front();
  std::sort(Left.begin(), Left.end(),
            [](const DimNode *X, const DimNode *Y) { return X->Id < Y->Id; });
  DimRange Range = Left.front()->Range;
  for (const DimNode *Operand : Left)
    Range = IsMin ? DimRange{std::min(Range.Lo, Operand->Range.Lo),
                             std::min(Range.Hi, Operand->Range.Hi)}
                  : DimRange{std::max(Range.Lo, Operand->Range.Lo),
                             std::max(Range.Hi, Operand->Range.Hi)};
  if (Range.Lo == Range.Hi)
    return constant(Range.Lo);
  return atom(Operation, Range, std::move(Left));
}

DimBuilder::NodeResult DimBuilder::substituteSum(const DimSum &Sum,
                                                 Replacements &Known) {
  const DimNode *All = constant(Sum.Constant);
  for (const auto &[Product, Factor] : Sum.Terms) {
    NodeResult Term = constant(Factor);
    for (const DimNode *Atom : Product) {
      NodeResult New = substitute(Atom, Known);
      if (!New)
        return New;
      Term = mul(*Term, *New);
      if (!Term)
        return Term;
    }
    NodeResult More = add(All, *Term);
    if (!More)
      return More;
    All = *More;
  }
  return All;
}

DimBuilder::NodeResult DimBuilder::substitute(const DimNode *E,
                                              Replacements &Known) {
  if (Replacements::iterator Found = Known.find(E); Found != Known.end())
    return Found->second;
  if (E->What == Kind::Variable)
    return E;
  NodeResult New = E;
  if (E->What == Kind::Sum) {
    New = substituteSum(E->Sum, Known);
  } else {
    DimProduct Operands;
    for (const DimNode *Operand : E->Operands) {
      NodeResult Part = substitute(Operand, Known);
      if (!Part)
        return Part;
      Operands.push_back(*Part);
    }
    New = Operands.front();
    for (size_t I = 1; New && I < Operands.size(); ++I)
      New = E->What == Kind::FloorDiv ? floorDiv(*New, Operands[I])
            : E->What == Kind::Mod    ? mod(*New, Operands[I])
                                      : extreme(E->What, *New, Operands[I]);
  }
  if (New)
    Known[E] = *New;
  return New;
}
