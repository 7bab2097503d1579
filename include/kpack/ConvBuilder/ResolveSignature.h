//===- ResolveSignature.h - derived defaults of a signature -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills in open parts of a Signature from its other parts:
//
//   types      the tensor's, else the signature's, else the type of any tensor;
//              tuple types, FP16_FP16, become a tensor of the first type with
//              an auxiliary operand of the second, if an operation of the
//              tensor takes one and does not have its type
//   layouts    those of the other tensors, in the same order; else channels
//              last
//   sums       I32 for integers, FP32 for the rest
//   operation  the tensor's, else the signature's
//
// Parts that cannot be derived stay UNDEFINED, which the requirements
// (Requirements.h) report. Given parts never change. Signatures with the same
// meaning are equal afterwards and have one hash: fields that nothing reads,
// such as the activation of an operation without one, get their default.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_RESOLVESIGNATURE_H
#define KPACK_CONVBUILDER_RESOLVESIGNATURE_H

#include "kpack/ConvBuilder/Layouts.h"
#include "kpack/ConvBuilder/Signature.h"

namespace kpack::conv {

/// Returns FP32 for FP32_FP32, and so on; other types are unchanged.
constexpr DataType elementOf(DataType Type) {
  switch (Type) {
  case DataType::FP32_FP32:
    return DataType::FP32;
  case DataType::FP16_FP16:
    return DataType::FP16;
  case DataType::BF16_BF16:
    return DataType::BF16;
  case DataType::I8_I8:
    return DataType::I8;
  default:
    return Type;
  }
}

constexpr bool isInteger(DataType Type) {
  return Type == DataType::I8 || Type == DataType::U8 || Type == DataType::I32;
}

/// True if tensors of this type can be convolved.
constexpr bool isConvolvable(DataType Type) {
  return Type == DataType::FP32 || Type == DataType::FP16 ||
         Type == DataType::BF16 || Type == DataType::FP8 ||
         Type == DataType::I8 || Type == DataType::U8;
}

namespace detail {

/// Orders of dimensions that the three tensors share. Weights have no batch, so
/// KXGC has no counterpart and goes with channels last.
enum class Order : unsigned char {
  Unknown,
  ChannelsFirst,        // NGCW, GKCX, NGKW
  GroupedChannelsFirst, // GNCW, GKCX, GNKW
  GroupedChannelsLast,  // GNWC, GKXC, GNWK
  ChannelsLast,         // NWGC, GKXC, NWGK
  Strided
};

/// Returns the order of an input or output; most weight layouts are ambiguous.
constexpr Order orderOf(TensorLayout Layout) {
  const LayoutFacts &Facts = factsOf(Layout);
  if (Facts.Count == 0 || Facts.Of == Role::Bias)
    return Order::Unknown;
  if (Facts.Strided)
    return Order::Strided;
  char Channel = Facts.Of == Role::Output ? 'K' : 'C';
  bool IsLast = Facts.Letters[Facts.Count - 1] == Channel;
  if (Facts.Of == Role::Weight)
    return IsLast ? Order::ChannelsLast : Order::ChannelsFirst;
  bool GroupsFirst = Facts.Letters[0] == 'G';
  return IsLast ? GroupsFirst ? Order::GroupedChannelsLast : Order::ChannelsLast
         : GroupsFirst ? Order::GroupedChannelsFirst
                       : Order::ChannelsFirst;
}

/// Returns the first layout of a tensor in an order; for the weight, the one
/// with groups first.
constexpr TensorLayout layoutIn(Order In, Role TensorRole, int SpatialDim) {
  const auto &All = LayoutFactsOfAll<TensorLayout>.Rows;
  for (std::size_t I = 1; I < EnumCount<TensorLayout>; ++I) {
    auto Layout = static_cast<TensorLayout>(I);
    const LayoutFacts &Facts = All[I];
    if (Facts.Of != TensorRole || Facts.SpatialDim != SpatialDim)
      continue;
    Order Its = orderOf(Layout);
    bool Fits = Its == In;
    if (TensorRole == Role::Weight && !Facts.Strided && In != Order::Strided) {
      bool WantsLast =
          In == Order::ChannelsLast || In == Order::GroupedChannelsLast;
      Fits = (Its == Order::ChannelsLast) == WantsLast;
    }
    if (Fits)
      return Layout;
  }
  return TensorLayout::UNDEFINED_TENSOR_LAYOUT;
}

/// Derives the order from inputs and outputs, then from the weight.
constexpr Order orderOf(const Signature &Sig) {
  for (const Tensor *Each : {&Sig.input, &Sig.output, &Sig.weight})
    if (Order Known = orderOf(Each->config.layout); Known != Order::Unknown)
      return Known;
  return Order::ChannelsLast;
}

constexpr void resolveLayouts(Signature &Sig) {
  Order In = orderOf(Sig);
  auto Fill = [&](Tensor &Given, Role TensorRole) {
    if (Given.config.layout == TensorLayout::UNDEFINED_TENSOR_LAYOUT)
      Given.config.layout = layoutIn(In, TensorRole, Sig.spatial_dim);
  };
  Fill(Sig.input, Role::Input);
  Fill(Sig.weight, Role::Weight);
  Fill(Sig.output, Role::Output);
}

/// Returns the type for all tensors: the signature's, else the only one that is
/// given; UNDEFINED if tensors have several.
constexpr DataType commonType(const Signature &Sig) {
  if (Sig.data_type != DataType::UNDEFINED_DATA_TYPE)
    return Sig.data_type;
  DataType Common = DataType::UNDEFINED_DATA_TYPE;
  for (const Tensor *Each : {&Sig.input, &Sig.weight, &Sig.output}) {
    DataType Type = elementOf(Each->config.data_type);
    if (Type == DataType::UNDEFINED_DATA_TYPE || Type == Common)
      continue;
    if (Common != DataType::UNDEFINED_DATA_TYPE)
      return DataType::UNDEFINED_DATA_TYPE;
    Common = Type;
  }
  return Common;
}

constexpr void resolveOperation(Tensor &Given, const Signature &Sig,
                                DataType Auxiliary) {
  if (!Given.operation)
    Given.operation.make().elementwise_operation = Sig.elementwise_operation;
  Operation &Op = *Given.operation;
  if (!hasActivation(Op.elementwise_operation))
    Op.activation = ElementwiseOperation::RELU;
  for (AuxiliaryOperand &Operand : Op.auxiliary_operand_configs) {
    if (Operand.layout == TensorLayout::UNDEFINED_TENSOR_LAYOUT)
      Operand.layout = TensorLayout::GC;
    if (Operand.data_type == DataType::UNDEFINED_DATA_TYPE)
      Operand.data_type = Auxiliary;
    Operand.data_type = elementOf(Operand.data_type);
    if (Operand.compute_type == DataType::UNDEFINED_DATA_TYPE)
      Operand.compute_type = DataType::FP32;
  }
}

} // namespace detail

/// Returns \p Sig with all parts that can be derived.
constexpr Signature resolveSignature(Signature Sig) {
  DataType Common = detail::commonType(Sig);
  for (Tensor *Each : {&Sig.input, &Sig.weight, &Sig.output}) {
    if (Each->config.data_type == DataType::UNDEFINED_DATA_TYPE)
      Each->config.data_type = Common;
    DataType Element = elementOf(Each->config.data_type);
    Each->config.data_type = Element;
    if (Each->config.compute_type == DataType::UNDEFINED_DATA_TYPE)
      Each->config.compute_type = Element;
    detail::resolveOperation(*Each, Sig, Element);
  }
  if (Sig.accumulation_data_type == DataType::UNDEFINED_DATA_TYPE)
    Sig.accumulation_data_type = isInteger(Sig.input.config.compute_type)
                                     ? DataType::I32
                                     : DataType::FP32;
  // The tensors now have all of this.
  Sig.data_type = DataType::UNDEFINED_DATA_TYPE;
  Sig.elementwise_operation = ElementwiseOperation::PASS_THROUGH;
  detail::resolveLayouts(Sig);
  return Sig;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_RESOLVESIGNATURE_H
