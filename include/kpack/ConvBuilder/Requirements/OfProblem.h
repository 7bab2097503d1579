//===- Requirements/OfProblem.h - checks of a problem's sizes ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a problem, and whether an algorithm supports it. From P3 on, checks do
// nothing for invalid sizes, which P1 and P2 report.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFPROBLEM_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFPROBLEM_H

#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv {

namespace checks {

/// True if the sizes are valid.
constexpr bool hasSizes(const Context &C) { return C.Facts.AreSizes; }

constexpr void positive(const Context &C, Literal Path, long long Value,
                        int Index = -1, int Least = 1) {
  if (Value >= Least)
    return;
  FindingOut F = C.find();
  F << "problem." << Path;
  if (Index >= 0)
    F << '[' << Index << ']';
  F.fact(Least) << "is " << Value;
  F.remedy() << "at least " << Least;
}

template <typename Type>
constexpr bool hasDims(const Context &C, Literal Path,
                       const List<Type, 3> &Values, bool MayBeEmpty) {
  auto Dims = static_cast<unsigned>(C.Sig.spatial_dim);
  if (Values.size() == Dims || (MayBeEmpty && Values.empty()))
    return true;
  FindingOut F = C.find();
  F << "problem." << Path;
  F.fact(C.Sig.spatial_dim)
      << "has " << Values.size() << " numbers, spatial_dim is " << Dims;
  F.remedy() << "one for each dimension"
             << (MayBeEmpty ? std::string_view(", or none")
                            : std::string_view());
  return false;
}

/// P1: all sizes are valid.
constexpr void sizes(Context &C) {
  const Problem &P = *C.Sizes;
  positive(C, "groups", P.groups);
  positive(C, "batch", P.batch);
  positive(C, "c", P.c);
  positive(C, "k", P.k);
  if (C.Sig.spatial_dim < 1 || C.Sig.spatial_dim > 3)
    return;
  auto All = [&](Literal Path, const List<int, 3> &Values, bool MayBeEmpty) {
    if (hasDims(C, Path, Values, MayBeEmpty))
      for (unsigned I = 0; I < Values.size(); ++I)
        positive(C, Path, Values[I], static_cast<int>(I));
  };
  All("image", P.image, false);
  All("filter", P.filter, false);
  All("stride", P.stride, true);
  All("dilation", P.dilation, true);
  if (hasDims(C, "pad", P.pad, true))
    for (unsigned I = 0; I < P.pad.size(); ++I) {
      positive(C, "pad", P.pad[I].before, static_cast<int>(I), 0);
      positive(C, "pad", P.pad[I].after, static_cast<int>(I), 0);
    }
}

/// P2: the filter fits into the padded image.
constexpr void outputSizes(Context &C) {
  const Problem &P = *C.Sizes;
  auto Dims = static_cast<unsigned>(C.Sig.spatial_dim);
  if (Dims < 1 || Dims > 3 || P.image.size() != Dims ||
      P.filter.size() != Dims ||
      (!P.stride.empty() && P.stride.size() != Dims) ||
      (!P.dilation.empty() && P.dilation.size() != Dims) ||
      (!P.pad.empty() && P.pad.size() != Dims))
    return;
  for (unsigned I = 0; I < Dims; ++I) {
    if (strideOf(P, I) < 1 || P.filter[I] < 1 || dilationOf(P, I) < 1 ||
        outputSize(P, I) >= 1)
      continue;
    long long Reach =
        static_cast<long long>(dilationOf(P, I)) * (P.filter[I] - 1) + 1;
    long long Room = static_cast<long long>(P.image[I]) + padOf(P, I).before +
                     padOf(P, I).after;
    FindingOut F = C.find();
    F << "problem.filter[" << static_cast<int>(I) << ']';
    F.fact(Room) << "reaches over " << Reach
                 << " positions with its dilation, and image with pad has "
                 << Room;
    F.remedy() << "a filter that fits into the image";
  }
}

constexpr void assumption(const Context &C, Literal Path,
                          std::string_view Promise, Literal Field,
                          long long Value, Literal Remedy) {
  FindingOut F = C.find();
  F << "algorithm." << Path;
  F.fact() << Promise << ", and problem." << Field << " is " << Value;
  F.remedy() << Remedy;
}

constexpr void specialization(const Context &C) {
  const Problem &P = *C.Sizes;
  ConvSpecialization Special = C.Algo->specialization;
  bool IsOne = Special == ConvSpecialization::FILTER_1X1_PAD0 ||
               Special == ConvSpecialization::FILTER_1X1_STRIDE1_PAD0;
  int Filter = IsOne                                       ? 1
               : Special == ConvSpecialization::FILTER_3x3 ? 3
               : Special == ConvSpecialization::FILTER_5x5 ? 5
                                                           : 0;
  auto Say = [&](Literal Field, long long Value) {
    assumption(C, "specialization", nameOf(Special), Field, Value,
               "specialization=DEFAULT is for all");
  };
  if (Special == ConvSpecialization::ODD_C && P.c % 2 == 0)
    Say("c", P.c);
  for (unsigned I = 0; I < P.filter.size(); ++I) {
    if (Filter && P.filter[I] != Filter)
      Say("filter", P.filter[I]);
    else if (IsOne && (padOf(P, I).before || padOf(P, I).after))
      Say("pad", padOf(P, I).before + padOf(P, I).after);
    else if (Special == ConvSpecialization::FILTER_1X1_STRIDE1_PAD0 &&
             strideOf(P, I) != 1)
      Say("stride", strideOf(P, I));
    else
      continue;
    return;
  }
}

/// Checks DEPTHWISE's promises about height and width; a missing dimension has
/// size 1.
constexpr void promisedFilter(const Context &C, const FilterFacts &Is) {
  const Problem &P = *C.Sizes;
  for (unsigned Back : {1u, 2u}) {
    bool IsThere = Back <= P.image.size();
    unsigned I = IsThere ? static_cast<unsigned>(P.image.size()) - Back : 0;
    auto Check = [&](std::string_view Field, const HW &Promised, int Value) {
      int PromisedValue = Back == 1 ? Promised.w : Promised.h;
      if (PromisedValue == Value)
        return;
      FindingOut F = C.find();
      F << "algorithm.depthwise.filter." << (Field == "filter" ? "size" : Field)
        << (Back == 1 ? ".w" : ".h");
      F.fact(Value) << "is " << PromisedValue << ", and problem." << Field
                    << " is " << Value << " there";
      F.remedy() << "a kernel without the part filter is for all";
    };
    Check("filter", Is.size, IsThere ? P.filter[I] : 1);
    Check("stride", Is.stride, IsThere ? strideOf(P, I) : 1);
    Check("dilation", Is.dilation, IsThere ? dilationOf(P, I) : 1);
    Check("pad", Is.pad, IsThere ? padOf(P, I).before : 0);
  }
}

/// P3: the problem satisfies the algorithm's assumptions.
constexpr void assumptions(Context &C) {
  if (!C.HasAlgo || !hasSizes(C))
    return;
  const Problem &P = *C.Sizes;
  specialization(C);
  if (C.is(Kind::DEPTHWISE) && (P.c != 1 || P.k != 1))
    assumption(C, "kind", "DEPTHWISE has one channel in each group",
               P.c != 1 ? "c" : "k", P.c != 1 ? P.c : P.k,
               "kind=DIRECT or kind=IMPLICIT_GEMM");
  if (C.is(Kind::DEPTHWISE) && C.Algo->depthwise && C.Algo->depthwise->filter)
    promisedFilter(C, *C.Algo->depthwise->filter);
  if (!C.isGemm())
    return;
  if (!C.Algo->padding || !C.Algo->tile)
    return;
  ProductSize Size = productOfTile(C.Sig, *C.Algo, C.Facts.Product);
  auto Whole = [&](bool IsPadded, long long Length, int Tile, Literal Path,
                   Literal Name) {
    if (IsPadded || Tile < 1 || Length % Tile == 0)
      return;
    FindingOut F = C.find();
    F << "algorithm." << Path;
    F.fact(Tile) << "is 0, and the problem has " << Length
                 << ", no multiple of " << Name << ", which is " << Tile;
    F.remedy() << "1 there";
  };
  Whole(C.Algo->padding->m, Size.Rows, C.Algo->tile->m, "padding.m", "tile.m");
  Whole(C.Algo->padding->n, Size.Columns, C.Algo->tile->n, "padding.n",
        "tile.n");
  Whole(C.Algo->padding->k, Size.Depth, C.Algo->tile->k, "padding.k", "tile.k");
}

constexpr void aligned(const Context &C, Literal Name, Literal Member,
                       int Vector, Role TensorRole) {
  const LayoutFacts &Facts = factsOf(tensorOf(C.Sig, TensorRole).config.layout);
  if (Vector <= 1 || Facts.Count == 0)
    return;
  char Letter = Facts.Letters[Facts.Count - 1];
  if (TensorRole == Role::Weight && Letter == 'X')
    Letter = TensorRole == Role::Output ? 'K' : 'C';
  long long Size = neighboursOf(C.Sig, *C.Algo, *C.Sizes, TensorRole, Letter);
  int Together = togetherByStrides(C.Sig, *C.Sizes, TensorRole, Vector);
  if (Size % Vector == 0 && Together == Vector)
    return;
  FindingOut F = C.find();
  F << "algorithm." << Name << Member;
  if (Together < Vector) {
    F.fact(Together) << Vector << " elements at once, and strides of the "
                     << nameOf(TensorRole) << " leave " << Together
                     << " together";
    F.remedy() << "that, or a last stride of 1 and others that are multiples";
    return;
  }
  bool HasGroups = Size != sizeOfLetter(*C.Sizes, TensorRole, Letter);
  F.fact(Size) << Vector << " elements at once, and the " << nameOf(TensorRole)
               << " has " << Size << " in its last dimension " << Letter
               << (HasGroups ? " and the groups of a tile" : "");
  F.remedy() << "a divisor of " << Size;
}

/// Checks vectors of DEPTHWISE, which are along W. Only channels may be faster
/// than W, and a group has one.
constexpr void alignedRows(const Context &C, std::string_view Member,
                           int Vector, Role TensorRole) {
  const LayoutFacts &Facts = factsOf(tensorOf(C.Sig, TensorRole).config.layout);
  if (Vector <= 1 || Facts.Count == 0)
    return;
  const Strides &Given = TensorRole == Role::Input ? C.Sizes->input_strides
                                                   : C.Sizes->output_strides;
  unsigned Last = Facts.Count - 1;
  while (Last && (Facts.Letters[Last] == 'C' || Facts.Letters[Last] == 'K'))
    --Last;
  bool AreTogether = Facts.Letters[Last] == 'W';
  if (Facts.Strided && Given.size() == Facts.Count)
    AreTogether = Given[Last] == 1;
  long long Size = sizeOfLetter(*C.Sizes, TensorRole, 'W');
  if (AreTogether && Size % Vector == 0)
    return;
  FindingOut F = C.find();
  F << "algorithm.depthwise" << Member;
  F.fact(AreTogether ? Size : 1) << Vector << " elements at once, and ";
  if (AreTogether)
    F << "the " << nameOf(TensorRole) << " has " << Size << " in W";
  else
    F << "neighbours in W of the " << nameOf(TensorRole) << " are not together";
  F.remedy();
  if (AreTogether)
    F << "a divisor of " << Size;
  else
    F << "1, or a layout with W last but for channels";
}

/// P4: vectors divide their dimension.
constexpr void alignment(Context &C) {
  if (!C.HasAlgo || !hasSizes(C))
    return;
  const Algorithm &Algo = *C.Algo;
  for (int Which : {0, 1})
    if (detail::OperandWay Way = detail::wayOf(C, Which); Way.Way)
      aligned(C, Way.Name, ".load_vector", Way.Way->load_vector, Way.From);
  if (Algo.c)
    aligned(C, "c", ".store_vector", Algo.c->store_vector,
            roleOfResult(C.Sig.direction));
  if (Algo.depthwise) {
    int In = Algo.depthwise->in_vector;
    alignedRows(C, ".in_vector", In, roleOfA(C.Sig.direction));
    if (C.Sig.direction == ConvDirection::BACKWARD_WEIGHT)
      alignedRows(C, ".in_vector", In, Role::Input);
    else
      alignedRows(C, ".out_vector", Algo.depthwise->out_vector,
                  roleOfResult(C.Sig.direction));
  }
}

/// P5 for offsets from the first image of a tile: reports operands that exceed
/// \p Most bytes from there.
constexpr void offsetsOfImages(Context &C, long long Most) {
  bool IsWeight = C.Sig.direction == ConvDirection::BACKWARD_WEIGHT;
  long long Images = imagesOfTile(C.Sig, *C.Algo, *C.Sizes);
  for (Role TensorRole : {roleOfA(C.Sig.direction), roleOfB(C.Sig.direction)}) {
    bool HasImages = IsWeight || TensorRole != Role::Weight;
    long long Bytes = HasImages ? bytesOfImages(C.Sig, *C.Sizes, TensorRole,
                                                Images, groupsOfTile(*C.Algo))
                                : C.Facts.Bytes[1];
    if (Bytes <= Most)
      continue;
    FindingOut F = C.find("algorithm.split.split_image", Most);
    F << "is 1, and ";
    if (HasImages)
      F << Images << " images of the " << nameOf(TensorRole)
        << ", as a tile reads them, have ";
    else
      F << "the weight has ";
    F << Bytes << " bytes, 32-bit offsets reach " << Most;
    F.remedy() << "split={index64=1}";
    return;
  }
}

/// P5: offsets have enough bits. An open split is chosen to fit the problem.
constexpr void offsets(Context &C) {
  if (!C.HasAlgo || !hasSizes(C) ||
      (C.Algo->split ? C.Algo->split->index64 : C.Want.Parts == Absent::IsOpen))
    return;
  constexpr long long Most = (1ll << 31) - 1;
  if (C.isGemm() && C.Algo->split && C.Algo->split->split_image)
    return offsetsOfImages(C, Most);
  for (unsigned I = 0; I < 3; ++I) {
    Role TensorRole = TensorRoles[I];
    long long Bytes = C.Facts.Bytes[I];
    if (Bytes <= Most)
      continue;
    FindingOut F = C.find("algorithm.split.index64", Most);
    F << "is 0, and the " << nameOf(TensorRole) << " has " << Bytes
      << " bytes, 32-bit offsets reach " << Most;
    F.remedy() << "split={index64=1}";
    return;
  }
}

/// P6: the workspace is within the caller's limit.
constexpr void workspace(Context &C) {
  if (!C.HasAlgo || !hasSizes(C))
    return;
  long long Bytes = workspaceOf(C.Sig, *C.Algo, *C.Sizes, C.Facts, C.Gpu);
  if (Bytes <= C.Want.WorkspaceLimit)
    return;
  bool IsShared = isStreamK(*C.Algo);
  FindingOut F = C.find(IsShared ? "algorithm.split.stream_k"
                                 : "algorithm.split.two_stage",
                        C.Want.WorkspaceLimit);
  F << "needs " << Bytes << " bytes of workspace, " << C.Want.WorkspaceLimit
    << " are allowed";
  F.remedy() << "an algorithm without it, or a smaller ";
  F << (IsShared ? "tile" : "split.k_batch");
}

/// P7: no unordered additions. A later step adds shared tiles in a fixed order.
constexpr void deterministic(Context &C) {
  if (!C.HasAlgo || !C.Want.Deterministic || !C.isGemm() || !C.Algo->split)
    return;
  const Split &S = *C.Algo->split;
  if (S.two_stage || piecesOf(*C.Algo, C.piecesAsked()) <= 1)
    return;
  FindingOut F = C.find("algorithm.split.k_batch");
  F << "pieces are added in any order, and the same result each time is asked "
       "for";
  F.remedy() << "two_stage=1, k_batch=1, or stream_k";
}

/// P8: the pieces of the sum. An open split takes the problem's number.
constexpr void pieces(Context &C) {
  if (!C.HasAlgo || !hasSizes(C))
    return;
  int Asked = C.Sizes->k_batch;
  int Open = C.Want.Parts == Absent::IsOpen ? 0 : 1;
  int Fixed = C.Algo->split ? C.Algo->split->k_batch : Open;
  if (Asked > 1 && isStreamK(*C.Algo)) {
    FindingOut F = C.find("problem.k_batch", 1);
    F << "is " << Asked << ", and algorithm.split.stream_k divides sums itself";
    F.remedy() << "0 or 1, or no stream_k";
    return;
  }
  if (Asked > 1 && !C.isGemm() && !C.is(Kind::AUTO)) {
    FindingOut F = C.find("problem.k_batch", 1);
    F << "is " << Asked << ", and " << C.Algo->kind << " does not divide sums";
    F.remedy() << "0 or 1, or kind=IMPLICIT_GEMM";
    return;
  }
  if (Asked > 0 && Fixed > 0 && Asked != Fixed) {
    FindingOut F = C.find("problem.k_batch", Fixed);
    F << "is " << Asked << ", and algorithm.split.k_batch is " << Fixed;
    F.remedy() << "the same, or 0 in one of them";
    return;
  }
  int Pieces = piecesOf(*C.Algo, C.piecesAsked());
  if (!C.isGemm() || !C.Algo->tile || C.Algo->tile->k < 1 || Pieces <= 1)
    return;
  long long Most = ceilDiv(productOfTile(C.Sig, *C.Algo, C.Facts.Product).Depth,
                           C.Algo->tile->k);
  if (Pieces <= Most)
    return;
  FindingOut F =
      C.find(Fixed > 0 ? "algorithm.split.k_batch" : "problem.k_batch", Most);
  F << Pieces << " pieces, and the sum has " << Most << " of tile.k";
  F.remedy() << "at most " << Most;
}

constexpr void stridesAreGood(const Context &C, Role TensorRole,
                              const Strides &Given) {
  const LayoutFacts &Facts = factsOf(tensorOf(C.Sig, TensorRole).config.layout);
  if (!Facts.Strided || Given.size() != Facts.Count)
    return; // reported by S4
  auto Find = [&] {
    FindingOut F = C.find();
    F << "problem." << nameOf(TensorRole) << "_strides";
    F.fact();
    return F;
  };
  for (long long Stride : Given)
    if (Stride < 0) {
      (Find() << "has " << Stride).remedy() << "0 or more";
      return;
    }
  // Elements of a result must not share an address.
  if (!isResult(C, TensorRole))
    return;
  for (unsigned I = 0; I < Given.size(); ++I) {
    long long Size = sizeOfLetter(*C.Sizes, TensorRole, Facts.Letters[I]);
    if (Size == 1)
      continue;
    long long Inner = 1; // elements that smaller strides span
    for (unsigned J = 0; J < Given.size(); ++J) {
      long long Other = sizeOfLetter(*C.Sizes, TensorRole, Facts.Letters[J]);
      if (J != I && Other > 1 &&
          (Given[J] < Given[I] || (Given[J] == Given[I] && J > I)))
        Inner += times(Other - 1, Given[J]);
    }
    if (Given[I] >= Inner)
      continue;
    (Find() << "the stride " << Given[I] << " of " << Facts.Letters[I]
            << " is inside of " << Inner << " elements that others reach")
            .remedy()
        << "elements of a result do not overlap";
    return;
  }
}

/// P9: strides are not negative, and results do not overlap.
constexpr void tensorStrides(Context &C) {
  if (!hasSizes(C))
    return;
  stridesAreGood(C, Role::Input, C.Sizes->input_strides);
  stridesAreGood(C, Role::Weight, C.Sizes->weight_strides);
  stridesAreGood(C, Role::Output, C.Sizes->output_strides);
  const auto &Auxiliary = C.Sizes->auxiliary_strides;
  for (unsigned I = 0; I < Auxiliary.size(); ++I)
    for (long long Stride : Auxiliary[I])
      if (Stride < 0) {
        FindingOut F = C.find();
        F << "problem.auxiliary_strides[" << I << ']';
        F.fact(0) << "has " << Stride;
        F.remedy() << "0 or more";
        break;
      }
}

/// P10 for tiles that work-groups share: kernels count these, and their tiles
/// of k, in 32 bits.
constexpr void sharedTiles(const Context &C, long long Most) {
  int Resident = residentOf(C.Sig, *C.Algo, C.Gpu);
  StreamTiles Its =
      streamTilesOf(C.Facts.Product, C.Sizes->groups, *C.Algo->tile, Resident);
  auto AtMost = [&](long long Limit, Literal Path, std::string_view Does,
                    long long Count, std::string_view Unit) {
    if (Count <= Limit)
      return;
    FindingOut F = C.find(Path, Limit);
    F << Does << ' ' << Count << ' ' << Unit << ", a launch has at most "
      << Limit;
    F.remedy() << "a larger tile, or no stream_k";
  };
  AtMost(mostOfStream(C.Algo->block_size), "algorithm.tile", "makes",
         Its.Whole + Its.Sharers, "work-groups");
  AtMost(Most, "algorithm.split.stream_k", "shares", Its.line(), "tiles of k");
}

/// P10: limits of a launch, and the LDS of a tile of DEPTHWISE, which depends
/// on the filter.
constexpr void launch(Context &C) {
  if (!C.HasAlgo || !hasSizes(C) || C.is(Kind::AUTO))
    return;
  const Algorithm &Algo = *C.Algo;
  constexpr long long Most = (1ll << 31) - 1;
  if (isStreamK(Algo) && Algo.tile)
    return sharedTiles(C, Most);
  long long Groups =
      workGroupsOf(C.Sig, Algo, *C.Sizes, C.Facts.Product, C.Gpu);
  if (Groups > Most) {
    FindingOut F =
        C.find(C.isGemm() ? "algorithm.tile" : "algorithm.block_size", Most);
    F << "makes " << Groups << " work-groups, a launch has at most " << Most;
    F.remedy() << "larger ones, or a part of the batch";
  }
  if (!C.is(Kind::DEPTHWISE) || !C.Gpu || !Algo.depthwise)
    return;
  const Problem &P = *C.Sizes;
  long long Bytes = depthwiseLdsOf(C.Sig, *Algo.depthwise, Algo.block_size, P);
  long long Room = ldsOfLaunch(*C.Gpu);
  if (Bytes <= Room)
    return;
  FindingOut F = C.find("algorithm.depthwise.tile", Room);
  F << "needs " << Bytes << " bytes of LDS with what the filter reaches, ";
  if (Room == C.Gpu->LdsBytes)
    F << C.Gpu->Name << " has " << Room;
  else
    F << "a launch can ask for " << Room;
  F.remedy() << "a smaller tile";
}

} // namespace checks
} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFPROBLEM_H
