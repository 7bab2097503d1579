//===- ModelCase.cpp - network layer with exact numbers -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "ModelCase.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// Up to this, FP16 has each integer.
constexpr int MostInFp16 = 2048;
/// What sums of numbers without a sign are about.
constexpr double Aim = 600;

/// Sizes with three dimensions; those that there are not are 1, in front.
struct Extents {
  int Image[3] = {1, 1, 1}, Filter[3] = {1, 1, 1}, Output[3] = {1, 1, 1};
  int Stride[3] = {1, 1, 1}, Dilation[3] = {1, 1, 1}, Pad[3] = {0, 0, 0};

  explicit Extents(const Problem &P) {
    unsigned Dims = P.image.size();
    for (unsigned D = 0; D < Dims; ++D) {
      unsigned Axis = 3 - Dims + D;
      Image[Axis] = P.image[D], Filter[Axis] = P.filter[D];
      Output[Axis] = static_cast<int>(outputSize(P, D));
      Stride[Axis] = strideOf(P, D), Dilation[Axis] = dilationOf(P, D);
      Pad[Axis] = padOf(P, D).before;
    }
  }
  static long long count(const int *Sizes) {
    return static_cast<long long>(Sizes[0]) * Sizes[1] * Sizes[2];
  }
};

/// Calls Do(output, tap, image), numbers of positions, for all that meet.
template <typename Function> void forMeetings(const Extents &E, Function &&Do) {
  long long Tap = 0, Taps = Extents::count(E.Filter);
  for (; Tap < Taps; ++Tap) {
    const int F[3] = {static_cast<int>(Tap / (E.Filter[1] * E.Filter[2])),
                      static_cast<int>(Tap / E.Filter[2]) % E.Filter[1],
                      static_cast<int>(Tap) % E.Filter[2]};
    long long Output = 0;
    int O[3];
    for (O[0] = 0; O[0] < E.Output[0]; ++O[0])
      for (O[1] = 0; O[1] < E.Output[1]; ++O[1])
        for (O[2] = 0; O[2] < E.Output[2]; ++O[2], ++Output) {
          long long Image = 0;
          bool Inside = true;
          for (int D = 0; D < 3; ++D) {
            int I = O[D] * E.Stride[D] + F[D] * E.Dilation[D] - E.Pad[D];
            Inside = Inside && I >= 0 && I < E.Image[D];
            Image = Image * E.Image[D] + I;
          }
          if (Inside)
            Do(Output, Tap, Image);
        }
  }
}

int dot(const int *A, const int *B, int Count) {
  int Sum = 0;
  for (int I = 0; I < Count; ++I)
    Sum += A[I] * B[I];
  return Sum;
}

/// To += Factor From; many factors are zero.
void addTimes(int *Target, int Factor, const int *Source, int Count) {
  if (Factor != 0)
    for (int I = 0; I < Count; ++I)
      Target[I] += Factor * Source[I];
}

/// How long the sums of a result are, at most.
double longestSum(const Problem &P, ConvDirection Direction) {
  Extents E(P);
  auto Taps = static_cast<double>(Extents::count(E.Filter));
  switch (Direction) {
  case ConvDirection::FORWARD:
    return Taps * P.c;
  case ConvDirection::BACKWARD_DATA:
    return Taps * P.k;
  default:
    return static_cast<double>(Extents::count(E.Output)) * P.batch;
  }
}

} // namespace

ModelCase::ModelCase(const ModelLayer &Layer, ConvDirection Direction,
                     DataType Type, bool NoSigns, unsigned Seed) {
  Case.Sig = Layer.Sig;
  Case.Sig.direction = Direction;
  Case.Sig.data_type = Type;
  Case.Sig = resolveSignature(Case.Sig);
  Case.P = Layer.P;
  Case.Numbers = argsFor(Case.Sig);
  // A number is 1 or 2, each with half of that probability, so products are
  // 2.25 Some^2 in the mean.
  double Some =
      std::min(1.0, std::sqrt(Aim / longestSum(Case.P, Direction)) / 1.5);
  auto Limit = static_cast<uint32_t>(Some * 0xffff);
  std::mt19937 Random(Seed);
  unsigned Bytes = bytesOf(Type);
  for (unsigned T = 0; T < 3; ++T) {
    constexpr Role Roles[] = {Role::Input, Role::Weight, Role::Output};
    Result<TensorShape> Shape = shapeOf(Case.Sig, Case.P, Roles[T]);
    if (!Shape) {
      Case.Memory.clear();
      return;
    }
    auto Count = static_cast<size_t>(Shape->span());
    TensorBytes &Content =
        Case.Memory.emplace_back(Count * Bytes, std::byte{0x5c});
    for (size_t I = 0; I < Count && T != Case.result(); ++I) {
      uint32_t Bits = Random();
      int Value = (Bits & 0xffff) > Limit ? 0 : Bits >> 16 & 1 ? 2 : 1;
      setElement(Type, Case.Form, Content.data(), static_cast<long long>(I),
                 !NoSigns && Bits >> 17 & 1 ? -Value : Value);
    }
  }
}

std::vector<int> ModelCase::makeNumbers(unsigned Tensor) const {
  DataType Type = Case.Sig.input.config.data_type;
  const TensorBytes &Bytes = Case.Memory[Tensor];
  std::vector<int> Numbers(Bytes.size() / bytesOf(Type));
  if (Tensor != Case.result())
    for (size_t I = 0; I < Numbers.size(); ++I)
      Numbers[I] = static_cast<int>(
          elementAt(Type, Case.Form, Bytes.data(), static_cast<long long>(I)));
  return Numbers;
}

std::vector<int> ModelCase::sums() const {
  const Problem &P = Case.P;
  Extents E(P);
  long long Images = Extents::count(E.Image),
            Outputs = Extents::count(E.Output), Taps = Extents::count(E.Filter);
  std::vector<int> Input = makeNumbers(0), Weight = makeNumbers(1),
                   Output = makeNumbers(2);
  for (int N = 0; N < P.batch; ++N)
    forMeetings(E, [&](long long O, long long Tap, long long I) {
      int *AtInput = &Input[static_cast<size_t>((N * Images + I) * P.c)];
      int *AtOutput = &Output[static_cast<size_t>((N * Outputs + O) * P.k)];
      for (int K = 0; K < P.k; ++K) {
        int *AtWeight = &Weight[static_cast<size_t>((K * Taps + Tap) * P.c)];
        switch (Case.Sig.direction) {
        case ConvDirection::FORWARD:
          AtOutput[K] += dot(AtInput, AtWeight, P.c);
          break;
        case ConvDirection::BACKWARD_DATA:
          addTimes(AtInput, AtOutput[K], AtWeight, P.c);
          break;
        default:
          addTimes(AtWeight, AtOutput[K], AtInput, P.c);
        }
      }
    });
  return Case.result() == 0 ? Input : Case.result() == 1 ? Weight : Output;
}

std::vector<TensorBytes> ModelCase::expected() const {
  std::vector<TensorBytes> Results = Case.Memory;
  DataType Type = Case.Sig.input.config.data_type;
  std::vector<int> Sums = sums();
  for (size_t I = 0; I < Sums.size(); ++I) {
    if (std::abs(Sums[I]) > MostInFp16)
      return {};
    setElement(Type, Case.Form, Results[Case.result()].data(),
               static_cast<long long>(I), Sums[I]);
  }
  return Results;
}
