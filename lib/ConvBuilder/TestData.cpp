//===- TestData.cpp - test tensors and their comparison -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TestData.h. The reference's functions read and write the elements.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/TestData.h"

#include "kpack/ConvBuilder/Resources.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using namespace kpack;
using namespace kpack::conv;

namespace {

using Place = std::array<long long, 6>;

/// Calls Do(place, index in memory) for the elements of a tensor.
template <typename Function>
void forPlaces(const TensorShape &Shape, Function &&Do) {
  const long long *E = Shape.Extents, *S = Shape.Strides;
  Place I;
  for (I[0] = 0; I[0] < E[0]; ++I[0])
    for (I[1] = 0; I[1] < E[1]; ++I[1])
      for (I[2] = 0; I[2] < E[2]; ++I[2])
        for (I[3] = 0; I[3] < E[3]; ++I[3])
          for (I[4] = 0; I[4] < E[4]; ++I[4])
            for (I[5] = 0; I[5] < E[5]; ++I[5]) {
              long long Element = 0;
              for (unsigned D = 0; D < 6; ++D)
                Element += I[D] * S[D];
              Do(I, Element);
            }
}

bool isSame(double A, double B) {
  return A == B || (std::isnan(A) && std::isnan(B));
}

/// A sequence of numbers from one seed.
class Numbers {
public:
  Numbers(unsigned Seed, TestNumbers Which) : Random(Seed), Which(Which) {}

  double next(DataType Type) {
    if (Which != TestNumbers::Random)
      return small(Type);
    if (isInteger(Type))
      return whole(Type);
    double Size = std::uniform_real_distribution<double>(0.125, 1)(Random);
    return Random() % 2 ? Size : -Size;
  }
  /// With eps 1, the square root of variance + eps is 2 or 4.
  double nextVariance() {
    if (Which == TestNumbers::Random)
      return std::uniform_real_distribution<double>(0.25, 1)(Random);
    return Random() % 2 ? 3 : 15;
  }

private:
  double small(DataType Type) {
    int Value = std::uniform_int_distribution<int>(-2, 2)(Random);
    bool HasSign = Which == TestNumbers::Integers && Type != DataType::U8;
    return HasSign ? Value : Value + 2;
  }
  double whole(DataType Type) {
    int Low = Type == DataType::U8 ? 0 : -128;
    return std::uniform_int_distribution<int>(Low, Low + 255)(Random);
  }

  std::mt19937 Random;
  TestNumbers Which;
};

bool isVariance(const Signature &Sig, const CallTensor &T) {
  return T.Auxiliary == 2 &&
         tensorOf(Sig, T.Of).operation->elementwise_operation ==
             ElementwiseOperation::BIAS_BNORM_CLAMP;
}

/// Collects differences.
class Collector {
public:
  Collector(const CallTensor &Tensor, Fp8Form Form, const TensorBytes &Is,
            size_t Most)
      : Of(Tensor), Form(Form), Is(Is), Most(Most) {}

  double valueAt(const TensorBytes &In, long long Element) const {
    return elementAt(Of.Type, Form, In.data(), Element);
  }
  void add(const Place &Position, long long Element, double Should,
           double Bound) {
    ++Found.Wrong;
    if (Found.First.size() < Most)
      Found.First.push_back(
          {Position, Element, valueAt(Is, Element), Should, Bound});
  }
  /// True if the bytes of an element equal those of \p Other.
  bool equals(const TensorBytes &Other, long long Element) const {
    auto Bytes = static_cast<size_t>(bytesOf(Of.Type));
    size_t Offset = static_cast<size_t>(Element) * Bytes;
    return !std::memcmp(&Is[Offset], &Other[Offset], Bytes);
  }
  /// Compares the bytes between elements: \p IsElement has a flag for each
  /// place.
  void addGaps(const std::vector<bool> &IsElement) {
    TensorBytes Untouched(static_cast<size_t>(bytesOf(Of.Type)), Canary);
    double Should = elementAt(Of.Type, Form, Untouched.data(), 0);
    for (size_t I = 0; I < IsElement.size(); ++I)
      if (!IsElement[I] && std::memcmp(&Is[I * Untouched.size()],
                                       Untouched.data(), Untouched.size()) != 0)
        add({-1, -1, -1, -1, -1, -1}, static_cast<long long>(I), Should, 0);
  }

  /// Compares all elements by \p Compare(place, element).
  template <typename Function> Comparison compare(Function &&Compare) {
    std::vector<bool> IsElement(static_cast<size_t>(Of.Shape.span()));
    forPlaces(Of.Shape, [&](const Place &Position, long long Element) {
      IsElement[static_cast<size_t>(Element)] = true;
      ++Found.Elements;
      Compare(Position, Element);
    });
    addGaps(IsElement);
    return std::move(Found);
  }

private:
  const CallTensor &Of;
  Fp8Form Form;
  const TensorBytes &Is;
  size_t Most;
  Comparison Found;
};

} // namespace

std::vector<TensorBytes> conv::testData(const Signature &Sig,
                                        std::span<const CallTensor> Tensors,
                                        Fp8Form Form, unsigned Seed,
                                        TestNumbers Which) {
  Numbers Generator(Seed, Which);
  std::vector<TensorBytes> Memory;
  for (const CallTensor &T : Tensors) {
    TensorBytes &Bytes = Memory.emplace_back(T.bytes(), Canary);
    if (T.IsResult)
      continue;
    bool HasVariances = isVariance(Sig, T);
    forPlaces(T.Shape, [&](const Place &, long long Element) {
      setElement(T.Type, Form, Bytes.data(), Element,
                 HasVariances ? Generator.nextVariance()
                              : Generator.next(T.Type));
    });
  }
  return Memory;
}

bool conv::isExact(ElementwiseOperation Op) {
  switch (Op) {
  case ElementwiseOperation::LOGISTIC:
  case ElementwiseOperation::SWISH:
  case ElementwiseOperation::ELU:
  case ElementwiseOperation::POWER: // exact in FP32 only
  case ElementwiseOperation::SOFT_RELU:
  case ElementwiseOperation::SIGMOID:
  case ElementwiseOperation::TANH:
  case ElementwiseOperation::GELU:
  case ElementwiseOperation::SILU:
    return false;
  default:
    return true;
  }
}

OpParams conv::exactNumbers(ElementwiseOperation Op) {
  OpParams With;
  With.a = 2, With.b = 0.5f, With.c = 4;
  switch (Op) {
  case ElementwiseOperation::ADD_CLAMP:
  case ElementwiseOperation::CLAMP:
  case ElementwiseOperation::CLIPPED_RELU:
    With.a = -3, With.b = 9;
    break;
  case ElementwiseOperation::BIAS_BNORM_CLAMP:
    With.a = -5, With.b = 11, With.c = 1;
    break;
  case ElementwiseOperation::POWER:
    With.a = 1, With.b = 2, With.c = 2;
    break;
  case ElementwiseOperation::UNARY_COMBINED_OP: // shared by all links
    With.a = -3, With.b = 3, With.c = 2;
    break;
  case ElementwiseOperation::DYNAMIC_UNARY_OP:
    With.dynamic = ElementwiseOperation::LEAKY_RELU;
    break;
  default:
    break;
  }
  With.activation = {0.5f, 8, 2};
  return With;
}

Tolerance conv::boundOf(const Signature &Sig, const Problem &Sizes,
                        bool IsMatrix) {
  bool IsWide = Sig.accumulation_data_type == DataType::FP64;
  double Unit = std::ldexp(1, IsWide ? -53 : IsMatrix ? -22 : -24);
  auto Depth = static_cast<double>(productOf(Sig, Sizes).Depth);
  const Tensor &Result = tensorOf(Sig, roleOfResult(Sig.direction));
  bool IsStoredOnly = Result.operation->elementwise_operation ==
                      ElementwiseOperation::PASS_THROUGH;
  return {{(Depth + 8) * Unit, std::ldexp(1, -21)}, IsStoredOnly ? 0.0 : 4.0};
}

std::string conv::placeText(const CallTensor &Tensor, int SpatialDim,
                            const Mismatch &Found) {
  if (Found.Place[0] < 0)
    return "between elements";
  std::string_view Letters = Tensor.Of == Role::Input    ? "gncdhw"
                             : Tensor.Of == Role::Weight ? "gkczyx"
                                                         : "gnkdhw";
  std::string Text;
  for (unsigned I = 0; I < 6; ++I)
    if (I < 3 || I >= 6 - static_cast<unsigned>(SpatialDim))
      Text += (Text.empty() ? "" : " ") + std::string(1, Letters[I]) + "=" +
              std::to_string(Found.Place[I]);
  return Text;
}

Comparison conv::compareStored(const CallTensor &Tensor, Fp8Form Form,
                               const TensorBytes &Should, const TensorBytes &Is,
                               size_t Most) {
  Collector Differences(Tensor, Form, Is, Most);
  return Differences.compare([&](const Place &Position, long long Element) {
    if (Differences.equals(Should, Element))
      return;
    double Right = Differences.valueAt(Should, Element);
    if (!isSame(Right, Differences.valueAt(Is, Element))) // -0 is 0
      Differences.add(Position, Element, Right, 0);
  });
}

Comparison conv::compareNearly(const CallTensor &Tensor, Fp8Form Form,
                               const ReferenceResult &Should,
                               const TensorBytes &Is, double Ulps,
                               size_t Most) {
  Collector Differences(Tensor, Form, Is, Most);
  size_t Next = 0;
  return Differences.compare([&](const Place &Position, long long Element) {
    double Exact = Should.Values[Next];
    double Bound = Should.Spreads[Next] + Ulps * ulpOf(DataType::FP32, Exact) +
                   ulpOf(Tensor.Type, Exact);
    ++Next;
    double Found = Differences.valueAt(Is, Element);
    // Round to the type, which may turn too large numbers into infinity.
    double Memory;
    setElement(Tensor.Type, Form, &Memory, 0, Exact);
    if (!isSame(Found, elementAt(Tensor.Type, Form, &Memory, 0)) &&
        !(std::fabs(Found - Exact) <= Bound))
      Differences.add(Position, Element, Exact, Bound);
  });
}
