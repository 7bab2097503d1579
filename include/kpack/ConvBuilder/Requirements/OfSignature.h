//===- Requirements/OfSignature.h - checks of types and layouts -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a signature independently of algorithms: dimensions, layouts, types.
// OfOperations.h checks operations. Checks use the resolved signature; paths
// name the field that was given.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFSIGNATURE_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFSIGNATURE_H

#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv {

/// Two types that can be multiplied, after conversion to their compute types.
struct TypePair {
  DataType First;
  DataType Second;
};

inline constexpr TypePair MultipliedTypes[] = {
    {DataType::FP32, DataType::FP32}, {DataType::FP16, DataType::FP16},
    {DataType::BF16, DataType::BF16}, {DataType::FP8, DataType::FP8},
    {DataType::I8, DataType::I8},     {DataType::U8, DataType::U8},
    {DataType::I8, DataType::U8}};

/// Allowed conversions from a type to a compute type. BF16 from FP32 loses
/// bits, but conversions are explicit in any case.
inline constexpr TypePair ConvertedTypes[] = {
    {DataType::FP32, DataType::BF16}, {DataType::FP16, DataType::FP32},
    {DataType::BF16, DataType::FP32}, {DataType::FP8, DataType::FP16},
    {DataType::FP8, DataType::BF16},  {DataType::FP8, DataType::FP32}};

constexpr bool isSupported(DataType First, DataType Second) {
  for (const TypePair &Pair : MultipliedTypes)
    if ((Pair.First == First && Pair.Second == Second) ||
        (Pair.First == Second && Pair.Second == First))
      return true;
  return false;
}

/// True for valid types of results: for integers, all but FP8; for floats,
/// floats.
constexpr bool canBeResult(DataType Product, DataType Result) {
  if (isInteger(Product))
    return Result == DataType::I32 || Result == DataType::FP32 ||
           Result == DataType::FP16 || Result == DataType::BF16 ||
           isEightBit(Result);
  return !isInteger(Result);
}

namespace checks {

/// S1: one to three spatial dimensions.
constexpr void spatialDim(Context &C) {
  if (C.Sig.spatial_dim < 1 || C.Sig.spatial_dim > 3)
    (C.find("signature.spatial_dim", 3) << "is " << C.Sig.spatial_dim).remedy()
        << "convolutions have 1, 2 or 3 dimensions";
}

/// Writes the path of the field that sets a tensor's type.
constexpr void pathOfType(FindingOut &F, const Context &C, Role TensorRole) {
  if (tensorOf(C.Given, TensorRole).config.data_type ==
          DataType::UNDEFINED_DATA_TYPE &&
      C.Given.data_type != DataType::UNDEFINED_DATA_TYPE)
    F << "signature.data_type";
  else
    F << "signature." << nameOf(TensorRole) << ".config.data_type";
}

/// S2: each tensor has a valid type.
constexpr void dataTypes(Context &C) {
  auto IsUnknown = [](const Tensor &Given) {
    return Given.config.data_type == DataType::UNDEFINED_DATA_TYPE;
  };
  if (IsUnknown(C.Sig.input) && IsUnknown(C.Sig.weight) &&
      IsUnknown(C.Sig.output)) {
    (C.find("signature.data_type") << "no tensor has a type").remedy()
        << "data_type=FP16 is one for all";
    return;
  }
  bool SaidOfAll = false;
  for (Role TensorRole : TensorRoles) {
    DataType Type = tensorOf(C.Sig, TensorRole).config.data_type;
    bool IsAlsoResult = isResult(C, TensorRole) &&
                        (Type == DataType::I32 || Type == DataType::FP64);
    if (isConvolvable(Type) || IsAlsoResult)
      continue;
    // Report the signature's common type once.
    bool IsOfAll = C.Given.data_type != DataType::UNDEFINED_DATA_TYPE &&
                   tensorOf(C.Given, TensorRole).config.data_type ==
                       DataType::UNDEFINED_DATA_TYPE;
    if (IsOfAll && SaidOfAll)
      continue;
    SaidOfAll |= IsOfAll;
    FindingOut F = C.find();
    pathOfType(F, C, TensorRole);
    F.fact();
    if (Type == DataType::UNDEFINED_DATA_TYPE)
      (F << "the type of the " << nameOf(TensorRole) << " is not known")
              .remedy()
          << "data_type of the signature is the type of all tensors";
    else
      (F << Type << " does not convolve").remedy()
          << "FP32, FP16, BF16, FP8, I8 and U8 do";
  }
}

/// S3: layouts fit tensors and dimensions.
constexpr void layouts(Context &C) {
  int Dims = C.Sig.spatial_dim;
  bool DimsAreGood = Dims >= 1 && Dims <= 3;
  for (Role TensorRole : TensorRoles) {
    TensorLayout Layout = tensorOf(C.Sig, TensorRole).config.layout;
    const LayoutFacts &Facts = factsOf(Layout);
    bool IsOther = Facts.Of != TensorRole && Facts.Of != Role::None;
    if (Facts.Of == Role::None ||
        (!IsOther && (!DimsAreGood || Facts.SpatialDim == Dims)))
      continue;
    detail::Order In = detail::orderOf(Layout);
    if (In == detail::Order::Unknown)
      In = detail::Order::ChannelsLast;
    TensorLayout Meant =
        detail::layoutIn(In, TensorRole, DimsAreGood ? Dims : Facts.SpatialDim);
    FindingOut F = C.find();
    F << "signature." << nameOf(TensorRole) << ".config.layout";
    F.fact() << Layout;
    if (IsOther)
      F << " is of "
        << (Facts.Of == Role::Bias     ? "a bias"
            : Facts.Of == Role::Input  ? "an input"
            : Facts.Of == Role::Weight ? "a weight"
                                       : "an output");
    else
      F << " is " << Facts.SpatialDim << "D, spatial_dim is " << Dims;
    F.remedy() << (Meant == TensorLayout::UNDEFINED_TENSOR_LAYOUT
                       ? std::string_view("UNDEFINED_TENSOR_LAYOUT")
                       : nameOf(Meant))
               << " is of this tensor";
  }
}

/// Checks the strides that a problem gives to a tensor with a layout.
constexpr void stridesOf(const Context &C, TensorLayout Layout,
                         const Strides &Given, Literal Name, int Index) {
  const LayoutFacts &Facts = factsOf(Layout);
  unsigned Wanted = Facts.Strided ? Facts.Count : 0;
  if (Given.size() == Wanted)
    return;
  FindingOut F = C.find();
  F << "problem." << Name;
  if (Index >= 0)
    F << '[' << Index << ']';
  F.fact(Wanted) << Layout << " takes " << Wanted << " strides, "
                 << Given.size() << " given";
  if (Wanted)
    F.remedy() << "one for each of " << Facts.order();
  else
    F.remedy() << "only layouts with _strided take any";
}

/// S4: strides of strided layouts, and of no others.
constexpr void strides(Context &C) {
  if (!C.Sizes)
    return;
  const Problem &P = *C.Sizes;
  stridesOf(C, C.Sig.input.config.layout, P.input_strides, "input_strides", -1);
  stridesOf(C, C.Sig.weight.config.layout, P.weight_strides, "weight_strides",
            -1);
  stridesOf(C, C.Sig.output.config.layout, P.output_strides, "output_strides",
            -1);
  unsigned Next = 0;
  for (Role TensorRole : TensorRoles)
    for (const AuxiliaryOperand &Operand :
         tensorOf(C.Sig, TensorRole).operation->auxiliary_operand_configs) {
      stridesOf(C, Operand.layout,
                Next < P.auxiliary_strides.size() ? P.auxiliary_strides[Next]
                                                  : Strides{},
                "auxiliary_strides", static_cast<int>(Next));
      ++Next;
    }
  for (; Next < P.auxiliary_strides.size(); ++Next)
    if (!P.auxiliary_strides[Next].empty()) {
      FindingOut F = C.find();
      F << "problem.auxiliary_strides[" << static_cast<int>(Next) << ']';
      F.fact() << "there is no such operand";
      F.remedy() << "strides for those that there are";
      return;
    }
}

/// S8: types of sums and products.
constexpr void computeTypes(Context &C) {
  DataType Product = C.a().config.compute_type;
  for (Role TensorRole : TensorRoles) {
    const TensorConfig &Config = tensorOf(C.Sig, TensorRole).config;
    bool IsFine = Config.compute_type == Config.data_type ||
                  isResult(C, TensorRole) || !isConvolvable(Config.data_type);
    for (const TypePair &Pair : ConvertedTypes)
      IsFine |=
          Pair.First == Config.data_type && Pair.Second == Config.compute_type;
    if (IsFine)
      continue;
    FindingOut F = C.find();
    F << "signature." << nameOf(TensorRole) << ".config.compute_type";
    F.fact() << Config.data_type << " is not converted to "
             << Config.compute_type;
    F.remedy() << "it is multiplied as " << Config.data_type;
    for (const TypePair &Pair : ConvertedTypes)
      if (Pair.First == Config.data_type)
        F << ", or as " << Pair.Second;
  }
  DataType Sum = C.Sig.accumulation_data_type;
  bool IsInteger = isInteger(Product);
  if (!isConvolvable(Product) ||
      (IsInteger ? Sum == DataType::I32
                 : Sum == DataType::FP32 || Sum == DataType::FP64))
    return;
  (C.find("signature.accumulation_data_type")
   << Sum << " does not hold sums of " << Product)
          .remedy()
      << (IsInteger ? "I32 does" : "FP32 does, and FP64 with kind=DIRECT");
}

/// S10: the types of both operands can be multiplied.
constexpr void mixedTypes(Context &C) {
  DataType A = C.Sig.input.config.compute_type,
           B = C.Sig.weight.config.compute_type;
  if (C.Sig.direction != ConvDirection::FORWARD) {
    A = C.a().config.compute_type;
    B = C.b().config.compute_type;
  }
  if (!isConvolvable(A) || !isConvolvable(B))
    return;
  Role OfA = roleOfA(C.Sig.direction), OfB = roleOfB(C.Sig.direction);
  if (!isSupported(A, B)) {
    FindingOut F = C.find();
    F << "signature." << nameOf(OfB) << ".config.compute_type";
    F.fact() << B << " of the " << nameOf(OfB) << " is not multiplied with "
             << A << " of the " << nameOf(OfA);
    F.remedy() << "both have one data_type, or one compute_type";
    return;
  }
  DataType Result = C.result().config.data_type;
  if (Result == DataType::UNDEFINED_DATA_TYPE ||
      (canBeResult(A, Result) &&
       (Result != DataType::FP64 || C.Sig.accumulation_data_type == Result)))
    return;
  FindingOut F = C.find();
  pathOfType(F, C, roleOfResult(C.Sig.direction));
  F.fact() << "products of " << A << " in sums of "
           << C.Sig.accumulation_data_type << " are not stored as " << Result
           << " in the " << nameOf(roleOfResult(C.Sig.direction));
  F.remedy() << (isInteger(A) ? "I32, I8, U8, FP32, FP16 and BF16 can be"
                              : "FP32, FP16, BF16 and FP8 can be, and FP64 of "
                                "accumulation_data_type=FP64");
}

/// S12: integers convolve FORWARD only.
constexpr void integerDirection(Context &C) {
  DataType Product = C.a().config.compute_type;
  if (C.Sig.direction != ConvDirection::FORWARD && isEightBit(Product))
    (C.find("signature.direction")
     << C.Sig.direction << " of data_type " << Product
     << " is no gradient: integers have none")
            .remedy()
        << "FORWARD, or a floating-point type";
}

/// S11: the version is known.
constexpr void version(Context &C) {
  if (isKnownVersion(C.Want.Version))
    return;
  FindingOut F = C.find("VERSION");
  F << '"' << C.Want.Version.substr(0, 32) << "\" is not known";
  F.remedy() << '"' << NewestVersion << "\" is";
  for (std::string_view Known : CkVersions)
    F << ", \"" << Known << '"';
  F << " of CK mean the same";
}

} // namespace checks

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFSIGNATURE_H
