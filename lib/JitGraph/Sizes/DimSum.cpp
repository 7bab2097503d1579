//===- DimSum.cpp - arithmetic of sums of products ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds of a sum of products, such as r*c - 3*c, in which each atom has a
// range. They must be correct, because they show that sizes fit into 64 bits,
// and should be narrow.
//
// Adding the ranges of terms is correct, but treats each occurrence of an atom
// as independent. For r in [1, 8] and c in [1, 100]:
//
//   r*c    [1, 800]
//   -3*c   [-300, -3]
//   sum    [-299, 797]
//
// -299 would need c = 1 in the first term and c = 100 in the second. So a
// second step looks at slopes. If the derivative along an atom has one sign for
// all values of the others, the sum is least at one end of that atom's range.
// The atom is fixed there, and the derivatives of the others get narrower
// ranges:
//
//   minimum   slope of c  r - 3  in [-2, 5]    both signs: undecided
//             slope of r  c      in [1, 100]   grows with r: r = 1
//             slope of c  r - 3  in [-2, -2]   falls with c: c = 100
//             value       1*100 - 3*100        -200
//   maximum   r = 8, then the slope of c is 5: c = 100, value 500
//
// So the range is [-200, 500], which is exact. Powers work in the same way: t*t
// - 2*t + 1 for t in [1, 3000] has the slope 2*t - 2 in [0, 5998], so its range
// is [0, 8994001], not [-5998, 8999999]. Sizes of tensors grow with almost
// every atom.
//
// Invariant: fixing an atom keeps the minimum (or maximum), since the sign of
// its slope holds in the whole remaining box. Atoms without a sign stay open,
// and their terms are added as ranges. The second step starts with the ranges
// of the first and only narrows them, so its result is never wider. If the
// first step overflows, the sum is refused even if its exact range would fit:
// the evaluation adds the terms in the same order, and may overflow on the way.
//
// Different atoms count as independent, even if one contains the other, such as
// t and t / 4; ranges are then wider than necessary.
//
// Each pass over the atoms but the last fixes at least one, so a atoms take at
// most a * (a + 1) slopes for the minimum and as many for the maximum, each as
// long as the sum.
//
// divide() works term by term. In (6*h*w + 5*h + 7) / (2*h), 6*h*w gives 3*w,
// 5*h gives 2 and leaves h, and 7 is no multiple of h. So the quotient is 3*w +
// 2, and the rest is h + 7. Factors are rounded toward zero: -x / 4 has the
// quotient 0 and the rest -x. A constant that is divided by a number is rounded
// down: (-x - 1) / 4 has the quotient -1 and the rest -x + 3. If the divisor
// has several terms, the quotient is 0, and the rest is the dividend.
//
//===----------------------------------------------------------------------===//
#include "DimSum.h"

#include "DimRange.h"

#include <numeric>

using namespace kpack;
using namespace kpack::jit;

/// Limits that no size of a tensor comes near; multiplying out could otherwise
/// use all memory.
static constexpr size_t MaxTerms = 256;
static constexpr size_t MaxDegree = 16;

Status kpack::jit::tooLarge() {
  return Status(StatusCode::InvalidArgument,
                "may be more than 64 bits hold; narrow the bounds of its "
                "variables");
}

static Status tooLong() {
  return Status(StatusCode::InvalidArgument,
                "more than " + std::to_string(MaxTerms) +
                    " terms, or a product of more than " +
                    std::to_string(MaxDegree) +
                    "; make a variable of a part of it");
}

/// Adds \p Factor * \p Product. Returns false if it exceeds 64 bits.
static bool addTerm(DimSum &Sum, const DimProduct &Product, int64_t Factor) {
  int64_t &Old = Product.empty() ? Sum.Constant : Sum.Terms[Product];
  std::optional<int64_t> New = checkedAdd(Old, Factor);
  if (!New)
    return false;
  Old = *New;
  if (!Product.empty() && Old == 0)
    Sum.Terms.erase(Product);
  return true;
}

Result<DimSum> kpack::jit::addScaled(const DimSum &A, const DimSum &B,
                                     int64_t Factor) {
  DimSum Sum = A;
  DimSum Scaled = B;
  std::optional<int64_t> Constant = checkedMul(B.Constant, Factor);
  if (!Constant || !addTerm(Sum, {}, *Constant))
    return tooLarge();
  for (const auto &[Product, Old] : B.Terms) {
    std::optional<int64_t> New = checkedMul(Old, Factor);
    if (!New || !addTerm(Sum, Product, *New))
      return tooLarge();
  }
  if (Sum.Terms.size() > MaxTerms)
    return tooLong();
  return Sum;
}

static DimProduct joined(const DimProduct &A, const DimProduct &B) {
  DimProduct All = A;
  All.insert(All.end(), B.begin(), B.end());
  std::sort(All.begin(), All.end(),
            [](const DimNode *X, const DimNode *Y) { return X->Id < Y->Id; });
  return All;
}

Result<DimSum> kpack::jit::multiply(const DimSum &A, const DimSum &B) {
  // The constant is a term like any other here.
  auto Terms = [](const DimSum &Sum) {
    std::vector<std::pair<DimProduct, int64_t>> All(Sum.Terms.begin(),
                                                    Sum.Terms.end());
    if (Sum.Constant)
      All.emplace_back(DimProduct(), Sum.Constant);
    return All;
  };
  DimSum Sum;
  for (const auto &[ProductA, FactorA] : Terms(A))
    for (const auto &[ProductB, FactorB] : Terms(B)) {
      std::optional<int64_t> Factor = checkedMul(FactorA, FactorB);
      if (ProductA.size() + ProductB.size() > MaxDegree)
        return tooLong();
      if (!Factor || !addTerm(Sum, joined(ProductA, ProductB), *Factor))
        return tooLarge();
      if (Sum.Terms.size() > MaxTerms)
        return tooLong();
    }
  return Sum;
}

namespace {

/// Bounds of a sum's atoms, which get narrower.
class Box {
public:
  explicit Box(const DimSum &Sum) {
    for (const auto &[Product, Factor] : Sum.Terms)
      for (const DimNode *Atom : Product)
        Bounds[Atom->Id] = {Atom, Atom->Range};
  }

  /// Returns the range term by term, in the order of evaluation.
  std::optional<DimRange> getRange(const DimSum &Sum) const;

  /// Fixes atoms where \p Sum is least, or greatest.
  void nail(const DimSum &Sum, bool Least);

private:
  /// Returns the range of the derivative along an atom, if it is known.
  std::optional<DimRange> slope(const DimSum &Sum, const DimNode *Along) const;

  struct Bound {
    const DimNode *Atom = nullptr;
    DimRange Range;
  };
  std::map<unsigned, Bound> Bounds; // by age of the atom
};

} // namespace

std::optional<DimRange> Box::getRange(const DimSum &Sum) const {
  std::optional<DimRange> All = DimRange{0, 0};
  for (const auto &[Product, Factor] : Sum.Terms) {
    std::optional<DimRange> Term = DimRange{Factor, Factor};
    for (const DimNode *Atom : Product)
      if (Term)
        Term = mulRanges(*Term, Bounds.at(Atom->Id).Range);
    if (!Term)
      return std::nullopt;
    All = addRanges(*All, *Term);
    if (!All)
      return std::nullopt;
  }
  return addRanges(*All, {Sum.Constant, Sum.Constant});
}

std::optional<DimRange> Box::slope(const DimSum &Sum,
                                   const DimNode *Along) const {
  DimSum Derivative;
  for (const auto &[Product, Factor] : Sum.Terms) {
    int64_t Power = std::count(Product.begin(), Product.end(), Along);
    if (!Power)
      continue;
    DimProduct Less = Product;
    Less.erase(std::find(Less.begin(), Less.end(), Along));
    std::optional<int64_t> Times = checkedMul(Factor, Power);
    if (!Times || !addTerm(Derivative, Less, *Times))
      return std::nullopt;
  }
  return getRange(Derivative);
}

void Box::nail(const DimSum &Sum, bool Least) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto &[Age, B] : Bounds) {
      if (B.Range.Lo == B.Range.Hi)
        continue;
      std::optional<DimRange> Slope = slope(Sum, B.Atom);
      if (!Slope || (Slope->Lo < 0 && Slope->Hi > 0))
        continue;
      int64_t Bound = (Slope->Lo >= 0) == Least ? B.Range.Lo : B.Range.Hi;
      B.Range = {Bound, Bound};
      Changed = true;
    }
  }
}

Result<DimRange> kpack::jit::getRange(const DimSum &Sum) {
  Box Whole(Sum);
  if (!Whole.getRange(Sum))
    return tooLarge();
  Box Low = Whole;
  Box High = Whole;
  Low.nail(Sum, true);
  High.nail(Sum, false);
  // These are parts of a range that fits.
  return DimRange{Low.getRange(Sum)->Lo, High.getRange(Sum)->Hi};
}

/// Returns \p Product without the atoms of \p Divisor, if it has them all.
static std::optional<DimProduct> without(const DimProduct &Product,
                                         const DimProduct &Divisor) {
  DimProduct Left = Product;
  for (const DimNode *Atom : Divisor) {
    DimProduct::iterator Found = std::find(Left.begin(), Left.end(), Atom);
    if (Found == Left.end())
      return std::nullopt;
    Left.erase(Found);
  }
  return Left;
}

DimDivision kpack::jit::divide(const DimSum &Dividend, const DimSum &Divisor) {
  bool ByNumber = Divisor.Terms.empty();
  if (!ByNumber && (Divisor.Terms.size() != 1 || Divisor.Constant))
    return {{}, Dividend};
  DimProduct Product = ByNumber ? DimProduct() : Divisor.Terms.begin()->first;
  int64_t Factor = ByNumber ? Divisor.Constant : Divisor.Terms.begin()->second;

  DimDivision D;
  for (const auto &[Term, Coefficient] : Dividend.Terms) {
    std::optional<DimProduct> Left = without(Term, Product);
    // Round toward zero: -x is kept, and not made -x*4 + 3*x.
    int64_t Times = Left ? Coefficient / Factor : 0;
    if (Times)
      addTerm(D.Quotient, *Left, Times);
    if (Coefficient != Times * Factor)
      addTerm(D.Rest, Term, Coefficient - Times * Factor);
  }
  D.Rest.Constant = Dividend.Constant;
  if (ByNumber) {
    // Round down: the remaining dividend is then less often negative.
    addTerm(D.Quotient, {}, floorQuotient(Dividend.Constant, Factor));
    D.Rest.Constant = floorRemainder(Dividend.Constant, Factor);
  }
  return D;
}

int64_t kpack::jit::commonDivisor(const DimSum &Sum, int64_t Divisor) {
  for (const auto &[Product, Factor] : Sum.Terms)
    Divisor = std::gcd(Divisor, Factor);
  return Divisor;
}

DimSum kpack::jit::dividedBy(const DimSum &Sum, int64_t Divisor) {
  DimSum Divided;
  for (const auto &[Product, Factor] : Sum.Terms)
    Divided.Terms[Product] = Factor / Divisor;
  Divided.Constant = floorQuotient(Sum.Constant, Divisor);
  return Divided;
}
