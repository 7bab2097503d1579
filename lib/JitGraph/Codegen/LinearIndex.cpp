//===- LinearIndex.cpp - indices as sums of loop counters -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each factor F of a term is Number * Q + R. If the sum of all R stays in 0 to
// Number - 1, it is the remainder, and the sum of all Q the quotient.
//
//===----------------------------------------------------------------------===//
#include "LinearIndex.h"

using namespace kpack;
using namespace kpack::jit;

LinearIndex LinearIndex::counter(std::string Name, unsigned Depth,
                                 int64_t Most) {
  LinearIndex I;
  I.Terms.push_back({std::move(Name), 1, std::max<int64_t>(Most, 0)});
  I.Depth = Depth;
  return I;
}

LinearIndex LinearIndex::unknown(std::string Text, unsigned Depth) {
  LinearIndex I;
  I.Terms.push_back({std::move(Text), 1, -1});
  I.Depth = Depth;
  return I;
}

void LinearIndex::add(const Term &T) {
  auto Place = std::lower_bound(
      Terms.begin(), Terms.end(), T.Name,
      [](const Term &A, const std::string &Name) { return A.Name < Name; });
  if (Place == Terms.end() || Place->Name != T.Name)
    Place = Terms.insert(Place, {T.Name, 0, T.Most});
  Place->Factor += T.Factor;
  if (Place->Factor == 0)
    Terms.erase(Place);
}

LinearIndex LinearIndex::plus(const LinearIndex &Other) const {
  LinearIndex Sum = *this;
  for (const Term &T : Other.Terms)
    Sum.add(T);
  Sum.Constant += Other.Constant;
  Sum.Depth = std::max(Depth, Other.Depth);
  return Sum;
}

LinearIndex LinearIndex::plus(int64_t Addend) const {
  LinearIndex Sum = *this;
  Sum.Constant += Addend;
  return Sum;
}

LinearIndex LinearIndex::times(int64_t Scale) const {
  if (Scale == 0)
    return {};
  LinearIndex Product = *this;
  for (Term &T : Product.Terms)
    T.Factor *= Scale;
  Product.Constant *= Scale;
  return Product;
}

LinearIndex LinearIndex::plusSize(const std::string &Size,
                                  int64_t Factor) const {
  LinearIndex Sum = *this;
  Sum.add({Size, Factor, -1});
  return Sum;
}

LinearIndex LinearIndex::timesSize(const std::string &Size) const {
  return isZero() ? *this : unknown("(" + text() + ")*" + Size, Depth);
}

LinearIndex LinearIndex::remainders(int64_t Divisor) const {
  auto Left = [&](int64_t Value) {
    int64_t R = ((Value % Divisor) + Divisor) % Divisor;
    return R > Divisor / 2 ? R - Divisor : R;
  };
  LinearIndex Rest;
  Rest.Depth = Depth;
  // Unlike factors, the constant is not moved below 0: it compensates for
  // negative terms.
  Rest.Constant = ((Constant % Divisor) + Divisor) % Divisor;
  for (const Term &T : Terms)
    if (int64_t Factor = Left(T.Factor))
      Rest.add({T.Name, Factor, T.Most});
  return Rest;
}

bool LinearIndex::isWithin(int64_t Limit) const {
  __int128 Lo = Constant, Hi = Constant;
  for (const Term &T : Terms) {
    if (T.Most < 0)
      return false;
    __int128 Range = static_cast<__int128>(T.Factor) * T.Most;
    (Range < 0 ? Lo : Hi) += Range;
  }
  return Lo >= 0 && Hi < Limit;
}

LinearIndex LinearIndex::remainderBy(int64_t Divisor) const {
  if (isWithin(Divisor))
    return *this;
  if (LinearIndex Rest = remainders(Divisor); Rest.isWithin(Divisor))
    return Rest;
  return unknown("(" + text() + ") % " + std::to_string(Divisor), Depth);
}

LinearIndex LinearIndex::dividedBy(int64_t Divisor) const {
  LinearIndex Rest = isWithin(Divisor) ? *this : remainders(Divisor);
  if (!Rest.isWithin(Divisor))
    return unknown("(" + text() + ") / " + std::to_string(Divisor), Depth);
  LinearIndex Quotient = plus(Rest.times(-1));
  for (Term &T : Quotient.Terms)
    T.Factor /= Divisor;
  Quotient.Constant /= Divisor;
  return Quotient;
}

LinearIndex LinearIndex::dividedBySize(const std::string &Size) const {
  return unknown("(" + text() + ") / " + Size, Depth);
}

LinearIndex LinearIndex::remainderOfSize(const std::string &Size) const {
  return unknown("(" + text() + ") % " + Size, Depth);
}

int64_t LinearIndex::valueAt(
    const std::vector<std::pair<std::string, int64_t>> &Counters) const {
  int64_t Value = Constant;
  for (const Term &T : Terms)
    for (const auto &[Name, Is] : Counters)
      if (Name == T.Name)
        Value += T.Factor * Is;
  return Value;
}

std::string LinearIndex::text() const {
  std::string Sum;
  auto Append = [&](bool IsNegative, const std::string &Text) {
    if (Sum.empty())
      Sum = (IsNegative ? "-" : "") + Text;
    else
      Sum += (IsNegative ? " - " : " + ") + Text;
  };
  for (const Term &T : Terms) {
    int64_t Size = T.Factor < 0 ? -T.Factor : T.Factor;
    bool IsWord = T.Name.find(' ') == std::string::npos;
    std::string Name = IsWord ? T.Name : "(" + T.Name + ")";
    Append(T.Factor < 0, Size == 1 ? Name : std::to_string(Size) + "*" + Name);
  }
  if (Constant || Sum.empty())
    Append(Constant < 0, std::to_string(Constant < 0 ? -Constant : Constant));
  return Sum;
}
