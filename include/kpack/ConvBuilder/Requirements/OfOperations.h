//===- OfOperations.h - checks of element-wise operations -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the operations of tensors: their tensor, its type, and the number of
// auxiliary operands.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFOPERATIONS_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFOPERATIONS_H

#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv::checks {

/// Writes the path of the field that sets a tensor's operation.
constexpr void pathOfOperation(FindingOut &F, const Context &C, Role TensorRole,
                               Literal Member = "") {
  if (tensorOf(C.Given, TensorRole).operation)
    F << "signature." << nameOf(TensorRole) << ".operation" << Member;
  else
    F << "signature.elementwise_operation";
}

/// S5: the number of auxiliary operands, and chains.
constexpr void auxiliaryCounts(Context &C) {
  for (Role TensorRole : TensorRoles) {
    const Operation &Op = *tensorOf(C.Sig, TensorRole).operation;
    unsigned Wanted = auxiliaryCount(Op.elementwise_operation);
    unsigned There = Op.auxiliary_operand_configs.size();
    if (Wanted != There) {
      FindingOut F = C.find();
      pathOfOperation(F, C, TensorRole);
      F.fact(Wanted) << Op.elementwise_operation << " takes " << Wanted
                     << " auxiliary operand" << (Wanted == 1 ? "" : "s") << ", "
                     << There << " given";
      F.remedy() << "auxiliary_operand_configs has one entry for each";
    }
    bool IsChain =
        Op.elementwise_operation == ElementwiseOperation::UNARY_COMBINED_OP;
    if (IsChain == !Op.chain.empty())
      continue;
    FindingOut F = C.find();
    pathOfOperation(F, C, TensorRole, ".chain");
    F.fact(IsChain) << Op.elementwise_operation
                    << (IsChain ? " takes a chain, and it is empty"
                                : " takes no chain");
    F.remedy() << (IsChain ? "chain=[SCALE,RELU] is one"
                           : "UNARY_COMBINED_OP does");
  }
}

/// Calls Each(operand, tensor's role, number of the operand).
template <typename Function>
constexpr void forEachAuxiliary(const Context &C, Function Each) {
  for (Role TensorRole : TensorRoles) {
    const auto &Operands =
        tensorOf(C.Sig, TensorRole).operation->auxiliary_operand_configs;
    for (unsigned I = 0; I < Operands.size(); ++I)
      Each(Operands[I], TensorRole, I);
  }
}

constexpr FindingOut findAuxiliary(const Context &C, Role TensorRole,
                                   unsigned Index, Literal Member) {
  FindingOut F = C.find();
  F << "signature." << nameOf(TensorRole)
    << ".operation.auxiliary_operand_configs[" << Index << "]." << Member;
  F.fact();
  return F;
}

/// S6: operations on auxiliary operands take one value.
constexpr void auxiliaryOfAuxiliary(Context &C) {
  forEachAuxiliary(C, [&](const AuxiliaryOperand &Operand, Role TensorRole,
                          unsigned Index) {
    ElementwiseOperation Op = Operand.elementwise_operation;
    if (isUnary(Op))
      return;
    FindingOut F = findAuxiliary(C, TensorRole, Index, "elementwise_operation");
    F << Op;
    if (auxiliaryCount(Op))
      F << " takes auxiliary operands itself";
    else
      F << " is not done with an auxiliary operand";
    F.remedy() << "operations of one value can be: PASS_THROUGH, SCALE, RELU";
  });
}

/// S7: layouts of auxiliary operands.
constexpr void auxiliaryLayouts(Context &C) {
  forEachAuxiliary(C, [&](const AuxiliaryOperand &Operand, Role TensorRole,
                          unsigned Index) {
    const LayoutFacts &Facts = factsOf(Operand.layout);
    char Others = TensorRole == Role::Output  ? 'C'
                  : TensorRole == Role::Input ? 'K'
                                              : ' ';
    bool IsStrangersBias =
        Facts.Of == Role::Bias && Facts.Strided && Facts.has(Others);
    bool HasDims = Facts.SpatialDim == C.Sig.spatial_dim;
    if ((Facts.Of == Role::Bias && !IsStrangersBias) ||
        (Facts.Of == TensorRole && HasDims) || Facts.Of == Role::None)
      return;
    FindingOut F = findAuxiliary(C, TensorRole, Index, "layout");
    if (IsStrangersBias)
      F << Operand.layout << " has a number for each channel of the "
        << (TensorRole == Role::Output ? "input" : "output");
    else if (Facts.Of == TensorRole)
      F << Operand.layout << " is " << Facts.SpatialDim << "D, spatial_dim is "
        << C.Sig.spatial_dim;
    else
      F << Operand.layout << " is a layout of the " << nameOf(Facts.Of);
    F.remedy() << "GC, "
               << (TensorRole == Role::Output ? "G_K_strided" : "G_C_strided")
               << ", or a layout of the " << nameOf(TensorRole)
               << " are possible";
  });
}

/// S13: types of auxiliary operands.
constexpr void auxiliaryTypes(Context &C) {
  forEachAuxiliary(
      C, [&](const AuxiliaryOperand &Operand, Role TensorRole, unsigned Index) {
        DataType Type = Operand.data_type;
        if (isConvolvable(Type) || Type == DataType::I32 ||
            (Type == DataType::UNDEFINED_DATA_TYPE &&
             tensorOf(C.Sig, TensorRole).config.data_type == Type))
          return;
        FindingOut F = findAuxiliary(C, TensorRole, Index, "data_type");
        F << Type << " is no type of auxiliary operands";
        F.remedy() << "FP32, FP16, BF16, FP8, I32, I8 and U8 are";
      });
}

/// Checks a link of a chain or an activation.
constexpr void innerOperation(const Context &C, Role TensorRole,
                              ElementwiseOperation Op, Literal Member,
                              bool IsInteger) {
  if (isUnary(Op) && !(IsInteger && isForFloatsOnly(Op)))
    return;
  FindingOut F = C.find();
  pathOfOperation(F, C, TensorRole, Member);
  F.fact() << Op;
  if (isUnary(Op))
    F << " makes fractions, the " << nameOf(TensorRole) << " has integers";
  else
    F << " is no operation of one value";
  F.remedy() << "RELU, CLAMP, SCALE and UNARY_ABS can be there";
}

/// S9: operations fit their tensors.
constexpr void operations(Context &C) {
  for (Role TensorRole : TensorRoles) {
    const Tensor &Given = tensorOf(C.Sig, TensorRole);
    const Operation &Op = *Given.operation;
    ElementwiseOperation OpKind = Op.elementwise_operation;
    DataType Type = Given.config.data_type;
    bool IsInteger = isInteger(Type);
    // Activations are computed in FP32, whatever the result's type is.
    if (hasActivation(OpKind))
      innerOperation(C, TensorRole, Op.activation, ".activation", false);
    if (OpKind == ElementwiseOperation::UNARY_COMBINED_OP)
      for (ElementwiseOperation Link : Op.chain)
        innerOperation(C, TensorRole, Link, ".chain", IsInteger);
    bool IsMisplaced = !isResult(C, TensorRole) && !isForOperands(OpKind);
    bool WantsInteger = isQuantised(OpKind) && !isEightBit(Type);
    bool WantsFloat = isForFloatsOnly(OpKind) && IsInteger;
    if (Type == DataType::UNDEFINED_DATA_TYPE ||
        !(IsMisplaced || WantsInteger || WantsFloat))
      continue;
    FindingOut F = C.find();
    pathOfOperation(F, C, TensorRole, ".elementwise_operation");
    F.fact() << OpKind;
    if (IsMisplaced)
      (F << " is not done when the " << nameOf(TensorRole)
         << " is loaded, as direction " << C.Sig.direction << " does")
              .remedy()
          << "operations of one value are, and SCALE_ADD; PASS_THROUGH does "
             "nothing";
    else if (WantsInteger)
      (F << " makes 8-bit integers, the " << nameOf(TensorRole)
         << " has data_type " << Type)
              .remedy()
          << "I8 or U8 there, or an operation without _MUL_CLAMP";
    else
      (F << " makes fractions, the " << nameOf(TensorRole) << " has data_type "
         << Type)
              .remedy()
          << "a floating-point type there, or RELU, CLAMP, SCALE";
  }
}

} // namespace kpack::conv::checks

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFOPERATIONS_H
