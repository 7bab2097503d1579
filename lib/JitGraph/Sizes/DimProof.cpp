//===- DimProof.cpp - proofs that one size is within another --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice of floordiv(t, 2) or min(t, 100) elements is within t ones if a
// difference is not negative. Its bounds alone do not prove that: they treat t
// and floordiv(t, 2) as independent. So atoms are replaced one after another by
// something no greater with the same variables:
//
//   t - floordiv(t, 2) >= 1,  since  2 * (t - floordiv(t, 2)) >= 2*t - t >= 1
//   t - min(t, 100)    >= 0,  since  -min(t, 100) >= -t
//
//===----------------------------------------------------------------------===//
#include "DimBuilder.h"

#include "DimRange.h"
#include "DimSum.h"

using namespace kpack;
using namespace kpack::jit;

/// Number of atoms to replace in one proof.
static constexpr unsigned MostSteps = 3;

bool DimBuilder::isProvablyBelow(const DimNode *A, const DimNode *B,
                                 int64_t Distance) {
  NodeResult Difference = add(B, A, -1);
  return Difference && isAtLeast(**Difference, Distance, MostSteps);
}

bool DimBuilder::isAtLeast(const DimNode &E, int64_t Bound, unsigned Steps) {
  if (E.Range.Lo >= Bound)
    return true;
  if (E.Range.Hi < Bound || Steps == 0)
    return false;
  DimSum Sum = computeSum(&E);
  for (const auto &[Product, Factor] : Sum.Terms) {
    if (Product.size() != 1)
      continue;
    DimSum Rest = Sum;
    Rest.Terms.erase(Product);
    if (isAtLeastWith(*Product.front(), Factor, Rest, Bound, Steps - 1))
      return true;
  }
  return false;
}

/// The same for Factor * Atom + Rest, with a replacement of the atom.
bool DimBuilder::isAtLeastWith(const DimNode &Atom, int64_t Factor,
                               const DimSum &Rest, int64_t Bound,
                               unsigned Steps) {
  auto Instead = [&](const DimNode *Operand) {
    Result<DimSum> Sum = addScaled(Rest, computeSum(Operand), Factor);
    NodeResult New = Sum ? node(*Sum) : Sum.status();
    return New && isAtLeast(**New, Bound, Steps);
  };
  const DimProduct &Operands = Atom.Operands;
  switch (Atom.What) {
  case Kind::FloorDiv:
    return isAtLeastScaled(Atom, Factor, Rest, Bound, Steps);
  case Kind::Mod: // at most the dividend
    return Factor < 0 && Operands[0]->Range.Lo >= 0 && Instead(Operands[0]);
  case Kind::Min:
  case Kind::Max:
    // Any operand will do if it makes the sum smaller; otherwise the atom may
    // be each of them, so all must do.
    return (Atom.What == Kind::Min) == (Factor < 0)
               ? std::any_of(Operands.begin(), Operands.end(), Instead)
               : std::all_of(Operands.begin(), Operands.end(), Instead);
  default:
    return false;
  }
}

/// Multiplies Factor * floordiv(x, n) + Rest by n: n * floordiv(x, n) is x, or
/// up to n - 1 less.
bool DimBuilder::isAtLeastScaled(const DimNode &Quotient, int64_t Factor,
                                 const DimSum &Rest, int64_t Bound,
                                 unsigned Steps) {
  const DimNode &Divisor = *Quotient.Operands[1];
  if (Divisor.Range.Lo != Divisor.Range.Hi)
    return false;
  int64_t N = Divisor.Range.Lo;
  // More than n * (Bound - 1) means Bound or more.
  std::optional<int64_t> Below = checkedMul(Bound - 1, N);
  std::optional<int64_t> Lost = checkedMul(std::max<int64_t>(Factor, 0), N - 1);
  if (!Below || !Lost)
    return false;
  Result<DimSum> Scaled = addScaled({}, Rest, N);
  if (Scaled)
    Scaled = addScaled(*Scaled, computeSum(Quotient.Operands[0]), Factor);
  if (Scaled)
    Scaled = addScaled(*Scaled, computeSum(constant(*Lost)), -1);
  NodeResult New = Scaled ? node(*Scaled) : Scaled.status();
  return New && isAtLeast(**New, *Below + 1, Steps);
}
