//===- DimProof.cpp - what can be said of two sizes -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a slice of floordiv(t, 2) or min(t, 100) elements is within t ones is
// a question about a difference, and its bounds alone do not answer it: they
// let t and floordiv(t, 2) be anything, each for itself. So atoms are given up
// one after another, for something no greater that stands in the same
// variables:
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

/// How many atoms are given up in one proof.
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
  DimSum Sum = sumOf(&E);
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

/// The same of Factor * Atom + Rest, with something in the place of the atom.
bool DimBuilder::isAtLeastWith(const DimNode &Atom, int64_t Factor,
                               const DimSum &Rest, int64_t Bound,
                               unsigned Steps) {
  auto Instead = [&](const DimNode *Operand) {
    Result<DimSum> Sum = addScaled(Rest, sumOf(Operand), Factor);
    NodeResult New = Sum ? node(*Sum) : Sum.status();
    return New && isAtLeast(**New, Bound, Steps);
  };
  const DimProduct &Operands = Atom.Operands;
  switch (Atom.What) {
  case Kind::FloorDiv:
    return isAtLeastScaled(Atom, Factor, Rest, Bound, Steps);
  case Kind::Mod: // is no more than what is divided
    return Factor < 0 && Operands[0]->Range.Lo >= 0 && Instead(Operands[0]);
  case Kind::Min:
  case Kind::Max:
    // Any operand will do where it makes the sum smaller; elsewhere the atom is
    // one of them, nobody knows which.
    return (Atom.What == Kind::Min) == (Factor < 0)
               ? std::any_of(Operands.begin(), Operands.end(), Instead)
               : std::all_of(Operands.begin(), Operands.end(), Instead);
  default:
    return false;
  }
}

/// Of Factor * floordiv(x, n) + Rest, n times over: n * floordiv(x, n) is x, or
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
    Scaled = addScaled(*Scaled, sumOf(Quotient.Operands[0]), Factor);
  if (Scaled)
    Scaled = addScaled(*Scaled, sumOf(constant(*Lost)), -1);
  NodeResult New = Scaled ? node(*Scaled) : Scaled.status();
  return New && isAtLeast(**New, *Below + 1, Steps);
}
