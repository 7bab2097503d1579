//===- TileFit.cpp - checks of a problem against tiles --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel's header gives the dimension of each vector. Vectors are whole if
// their dimension has adjacent elements and a multiple of the vector's length:
// then no vector begins inside of a matrix or an image and ends outside.
//
//===----------------------------------------------------------------------===//
#include "TileFit.h"

#include "kpack/ConvBuilder/Resources.h"
#include "kpack/ConvBuilder/kernels/load.h"

#include <algorithm>
#include <cstdint>

using namespace kpack;
using namespace kpack::conv;

namespace {

constexpr std::string_view TensorNames[] = {"input", "weight", "output"};

Status bad(const std::string &Message) {
  return Status(StatusCode::InvalidArgument, Message);
}

/// One tensor, and its vectors of loads or stores.
struct Vectors {
  int Tensor;        ///< of input, weight, output
  const char *Field; ///< the field of Length
  int Length;
  int Number;     ///< of the coordinate in which the elements differ
  int Groups = 1; ///< of a tile, if they are adjacent in memory
};

/// Sets the three tensors as the direction's kernel accesses them.
template <class View> void fillVectors(const Lowered &L, Vectors (&Out)[3]) {
  using A = device::Loader<true, float, View, Lowered>;
  using B = device::Loader<false, float, View, Lowered>;
  bool IsForward = L.direction == device::direction::FORWARD;
  bool IsData = L.direction == device::direction::BACKWARD_DATA;
  Out[0] = {IsForward ? 0 : 2, "a.load_vector", L.a.vector, A::vectorNumber(L)};
  Out[1] = {IsForward || IsData ? 1 : 0, "b.load_vector", L.b.vector,
            B::vectorNumber(L)};
  Out[2] = {IsForward ? 2
            : IsData  ? 0
                      : 1,
            "c.store_vector", L.store_vector, 2};
  for (Vectors &V : Out)
    if (V.Tensor != 1)
      V.Groups = L.groups_merge;
}

/// True if operands have the positions of the result.
bool isPointwise(const Problem &P) {
  for (unsigned D = 0; D < P.filter.size(); ++D)
    if (P.filter[D] != 1 || strideOf(P, D) != 1 || padOf(P, D).before ||
        padOf(P, D).after)
      return false;
  return true;
}

Status fits(const Vectors &V, const TensorShape &Shape, const Problem &P,
            long long Bytes, const void *Data) {
  if (V.Length <= 1)
    return Status::success();
  std::string Where = std::string("algorithm.") + V.Field + ": " +
                      std::to_string(V.Length) + " elements at once, and the " +
                      std::string(TensorNames[V.Tensor]);
  if (V.Number > 2 && !isPointwise(P))
    return bad(Where + " is read through a filter; take 1");
  // Channels of a tile's groups are adjacent if the groups are.
  long long Length = Shape.Extents[V.Number];
  bool HasGroups = V.Groups > 1 && V.Number == 2 && Shape.Strides[2] == 1 &&
                   Shape.Strides[0] == Length;
  if (HasGroups)
    Length *= commonDivisor(P.groups, V.Groups);
  if (Length % V.Length)
    return bad(Where + " has " + std::to_string(Length) +
               " there; take a divisor of it");
  for (int D = 0; D < 6; ++D) {
    if (Shape.Extents[D] == 1 || (HasGroups && D == 0))
      continue;
    long long Stride = Shape.Strides[D];
    if (D == V.Number ? Stride != 1 : Stride % V.Length != 0)
      return bad(Where + " has a stride of " + std::to_string(Stride) +
                 "; vectors need 1 along them, and multiples of their length "
                 "else");
  }
  if (reinterpret_cast<std::uintptr_t>(Data) %
      static_cast<std::uintptr_t>(V.Length * Bytes))
    return bad(Where + " does not begin at a multiple of " +
               std::to_string(V.Length * Bytes) + " bytes");
  return Status::success();
}

/// Checks that 32-bit offsets reach all of each tensor; with by_images, only
/// the part of an operand that a tile reads, and not the result, whose stores
/// use 64-bit offsets.
Status fitsOffsets(const Lowered &L, const TensorShape (&Shapes)[3]) {
  if (L.index64)
    return Status::success();
  bool IsData = L.direction == device::direction::BACKWARD_DATA;
  bool IsWeight = L.direction == device::direction::BACKWARD_WEIGHT;
  int Types[] = {L.input.type, L.weight.type, L.output.type};
  const long long *Sizes = Shapes[IsData ? 0 : 2].Extents;
  long long Images = imagesOfTile(IsWeight ? L.tile_k : L.tile_m,
                                  Sizes[3] * Sizes[4] * Sizes[5], Sizes[1]);
  for (int T = 0; T < 3; ++T) {
    if (L.by_images && T == (IsData ? 0 : IsWeight ? 1 : 2))
      continue;
    bool IsPart = L.by_images && T != 1;
    TensorShape Part = Shapes[T];
    if (IsPart)
      Part.Extents[0] = std::min<long long>(Part.Extents[0], L.groups_merge),
      Part.Extents[1] = Images;
    long long Bytes = Part.span() * device::sizeOf(Types[T]);
    if (Bytes >= 1ll << 31)
      return bad("algorithm.split.index64: is 0, and " +
                 (IsPart ? std::to_string(Images) + " images of the "
                         : std::string("the ")) +
                 std::string(TensorNames[T]) + (IsPart ? " have " : " has ") +
                 std::to_string(Bytes) + " bytes");
  }
  return Status::success();
}

/// Uses the size of the product as tiledStep() of Launch.cpp does.
Status fitsWithoutPadding(const Lowered &L, const TensorShape (&Shapes)[3]) {
  bool IsForward = L.direction == device::direction::FORWARD;
  bool IsWeight = L.direction == device::direction::BACKWARD_WEIGHT;
  const TensorShape &Result = Shapes[IsForward ? 2 : IsWeight ? 1 : 0];
  const TensorShape &Taps = Shapes[IsWeight ? 2 : 1];
  const long long *E = Result.Extents, *T = Taps.Extents;
  long long Positions = E[3] * E[4] * E[5];
  long long Inner = IsForward ? T[2] : T[1], Groups = L.groups_merge;
  long long Sizes[] = {E[1] * (IsWeight ? Groups : Positions),
                       E[2] * Groups * (IsWeight ? Positions : 1),
                       Inner * T[3] * T[4] * T[5] * (IsWeight ? 1 : Groups)};
  int Tile[] = {L.tile_m, L.tile_n, L.tile_k};
  int IsPadded[] = {L.pad_m, L.pad_n, L.pad_k};
  for (int D = 0; D < 3; ++D)
    if (!IsPadded[D] && Sizes[D] % Tile[D])
      return bad(std::string("algorithm.padding.") + "mnk"[D] +
                 ": is 0, and the problem has " + std::to_string(Sizes[D]) +
                 ", no multiple of " + std::to_string(Tile[D]));
  return Status::success();
}

} // namespace

Status conv::fitsTiles(const Lowered &L, const Problem &P,
                       const TensorShape (&Shapes)[3], const Args &With) {
  int Types[] = {L.input.type, L.weight.type, L.output.type};
  const void *Data[] = {With.input.data, With.weight.data, With.output.data};
  if (Status S = fitsOffsets(L, Shapes); !S.ok())
    return S;
  if (Status S = fitsWithoutPadding(L, Shapes); !S.ok())
    return S;
  Vectors All[3];
  switch (L.direction) {
  case device::direction::FORWARD:
    fillVectors<device::Forward>(L, All);
    break;
  case device::direction::BACKWARD_DATA:
    fillVectors<device::BackwardData>(L, All);
    break;
  default:
    fillVectors<device::BackwardWeight>(L, All);
  }
  for (const Vectors &V : All)
    if (Status S = fits(V, Shapes[V.Tensor], P, device::sizeOf(Types[V.Tensor]),
                        Data[V.Tensor]);
        !S.ok())
      return S;
  return Status::success();
}
