//===- TensorShape.cpp - extents and strides of a tensor ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strides of a layout come from its letters, of which the last one varies
// fastest. Products are checked for overflow, since a problem is untrusted.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/TensorShape.h"

#include <string>

using namespace kpack;
using namespace kpack::conv;

/// The limit of elements of a tensor.
static constexpr long long MostElements = 1ll << 48;

static Status bad(std::string_view Object, const std::string &Message) {
  return Status(StatusCode::InvalidArgument,
                std::string(Object) + ": " + Message);
}

unsigned conv::placeOf(char Letter, Role TensorRole) {
  switch (Letter) {
  case 'G':
    return 0;
  case 'N':
    return 1;
  case 'C':
    return 2;
  case 'K':
    return TensorRole == Role::Weight ? 1 : 2;
  case 'D':
  case 'Z':
    return 3;
  case 'H':
  case 'Y':
    return 4;
  default:
    return 5;
  }
}

static Status readExtents(const Signature &Sig, const Problem &P,
                          Role TensorRole, TensorShape &Shape) {
  auto Dims = static_cast<unsigned>(Sig.spatial_dim);
  const auto &Positions = TensorRole == Role::Weight ? P.filter : P.image;
  if (Dims < 1 || Dims > 3 || P.image.size() != Dims ||
      P.filter.size() != Dims ||
      (!P.stride.empty() && P.stride.size() != Dims) ||
      (!P.dilation.empty() && P.dilation.size() != Dims) ||
      (!P.pad.empty() && P.pad.size() != Dims))
    return bad("problem", "has not " + std::to_string(Sig.spatial_dim) +
                              " spatial dimensions; give as many sizes as "
                              "signature.spatial_dim says");
  Shape.Extents[0] = P.groups;
  Shape.Extents[1] = TensorRole == Role::Weight ? P.k : P.batch;
  Shape.Extents[2] = TensorRole == Role::Output ? P.k : P.c;
  for (unsigned D = 0; D < Dims; ++D)
    Shape.Extents[6 - Dims + D] =
        TensorRole == Role::Output ? outputSize(P, D) : Positions[D];
  long long Count = 1;
  for (long long Extent : Shape.Extents) {
    if (Extent < 1)
      return bad("problem", "the " + std::string(nameOf(TensorRole)) +
                                " has no elements; sizes are 1 at least, and "
                                "the filter fits into the padded image");
    if (Count > MostElements / Extent)
      return bad("problem", "the " + std::string(nameOf(TensorRole)) +
                                " has more than 2^48 elements");
    Count *= Extent;
  }
  return Status::success();
}

static Status readStrides(const LayoutFacts &Layout, const Strides *Given,
                          Role TensorRole, std::string_view Name,
                          TensorShape &Shape) {
  if (Layout.Of == Role::None)
    return bad(Name, "its layout is undefined; give one");
  if (Layout.Strided) {
    if (!Given || Given->size() != Layout.Count)
      return bad(Name, "needs " + std::to_string(Layout.Count) +
                           " strides, one for each letter of its layout");
    long long Room = MostElements;
    for (unsigned I = 0; I < Layout.Count; ++I) {
      unsigned Place = placeOf(Layout.Letters[I], TensorRole);
      long long Stride = (*Given)[I], Steps = Shape.Extents[Place] - 1;
      if (Stride < 0 || (Steps > 0 && Stride > Room / Steps))
        return bad(Name, "its strides are negative, or reach over more than "
                         "2^48 elements");
      Room -= Steps * Stride;
      Shape.Strides[Place] = Stride;
    }
    return Status::success();
  }
  long long Stride = 1;
  for (unsigned I = Layout.Count; I-- > 0;) {
    unsigned Place = placeOf(Layout.Letters[I], TensorRole);
    Shape.Strides[Place] = Stride;
    Stride *= Shape.Extents[Place];
  }
  return Status::success();
}

long long TensorShape::span() const {
  long long Last = 0;
  for (int I = 0; I < 6; ++I)
    Last += (Extents[I] - 1) * Strides[I];
  return Last + 1;
}

unsigned conv::auxiliaryBefore(const Signature &Sig, Role TensorRole) {
  unsigned Count = 0;
  for (Role Each : {Role::Input, Role::Weight, Role::Output}) {
    if (Each == TensorRole)
      break;
    Count += tensorOf(Sig, Each).operation->auxiliary_operand_configs.size();
  }
  return Count;
}

Result<TensorShape> conv::shapeOf(const Signature &Sig, const Problem &P,
                                  Role TensorRole) {
  const Strides *Given = TensorRole == Role::Input    ? &P.input_strides
                         : TensorRole == Role::Weight ? &P.weight_strides
                                                      : &P.output_strides;
  TensorShape Shape;
  if (Status S = readExtents(Sig, P, TensorRole, Shape); !S.ok())
    return S;
  const LayoutFacts &Layout = factsOf(tensorOf(Sig, TensorRole).config.layout);
  if (Status S =
          readStrides(Layout, Given, TensorRole, nameOf(TensorRole), Shape);
      !S.ok())
    return S;
  return Shape;
}

Result<TensorShape> conv::auxiliaryShapeOf(const Signature &Sig,
                                           const Problem &P, Role TensorRole,
                                           unsigned I) {
  unsigned Index = auxiliaryBefore(Sig, TensorRole) + I;
  const Strides *Given = Index < P.auxiliary_strides.size()
                             ? &P.auxiliary_strides[Index]
                             : nullptr;
  TensorShape Shape;
  if (Status S = readExtents(Sig, P, TensorRole, Shape); !S.ok())
    return S;
  const AuxiliaryOperand &Operand =
      tensorOf(Sig, TensorRole).operation->auxiliary_operand_configs[I];
  std::string Name = "auxiliary operand " + std::to_string(I) + " of the " +
                     std::string(nameOf(TensorRole));
  if (Status S =
          readStrides(factsOf(Operand.layout), Given, TensorRole, Name, Shape);
      !S.ok())
    return S;
  // Along a dimension without a stride all elements are the same one.
  for (int Place = 0; Place < 6; ++Place)
    if (Shape.Strides[Place] == 0)
      Shape.Extents[Place] = 1;
  return Shape;
}
