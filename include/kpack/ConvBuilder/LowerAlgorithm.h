//===- LowerAlgorithm.h - constexpr lowering to integers --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements lower() of Lower.h for constant expressions: computes the integers
// of a kernel, or the text of an error. symbolNameOf() makes the name of a
// kernel from the hash of its values.
//
// Siblings: LowerTiles.h and LowerDepthwise.h, the parts for IMPLICIT_GEMM and
// DEPTHWISE.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_LOWERALGORITHM_H
#define KPACK_CONVBUILDER_LOWERALGORITHM_H

#include "kpack/ConvBuilder/Hash.h"
#include "kpack/ConvBuilder/Layouts.h"
#include "kpack/ConvBuilder/LowerDepthwise.h"
#include "kpack/ConvBuilder/LowerTiles.h"
#include "kpack/ConvBuilder/kernels/shared.h"

namespace kpack::conv {

namespace detail {

constexpr void clearHint(auto &) {}
template <typename Type> constexpr void clearHint(Optional<Type> &Part);
template <Fielded Type> constexpr void clearHint(Type &Value) {
  forEachField<Type>([&](auto Member, const Field &F) {
    if (F.Class == FieldClass::Hint)
      Value.*Member = Type().*Member;
    else
      clearHint(Value.*Member);
  });
}
template <typename Type> constexpr void clearHint(Optional<Type> &Part) {
  if (Part)
    clearHint(*Part);
}

constexpr LoweredAuxiliary loweredOf(const AuxiliaryOperand &Operand) {
  return {static_cast<int>(Operand.data_type),
          static_cast<int>(Operand.compute_type),
          static_cast<int>(Operand.elementwise_operation)};
}

constexpr LoweredTensor loweredOf(const Tensor &Given) {
  const Operation &Op = *Given.operation;
  LoweredTensor L;
  L.type = static_cast<int>(Given.config.data_type);
  L.compute = static_cast<int>(Given.config.compute_type);
  L.operation = static_cast<int>(Op.elementwise_operation);
  L.activation = static_cast<int>(Op.activation);
  int *Links[] = {&L.chain0, &L.chain1, &L.chain2, &L.chain3};
  for (unsigned I = 0; I < MaxChain; ++I)
    *Links[I] = static_cast<int>(
        I < Op.chain.size() ? Op.chain[I] : ElementwiseOperation::PASS_THROUGH);
  const auto &Operands = Op.auxiliary_operand_configs;
  LoweredAuxiliary *Slots[] = {&L.auxiliary0, &L.auxiliary1, &L.auxiliary2,
                               &L.auxiliary3, &L.auxiliary4};
  L.auxiliary_count = static_cast<int>(Operands.size());
  for (unsigned I = 0; I < Operands.size(); ++I)
    *Slots[I] = loweredOf(Operands[I]);
  return L;
}

constexpr const Tensor &resultOf(const Signature &Sig) {
  switch (Sig.direction) {
  case ConvDirection::FORWARD:
    return Sig.output;
  case ConvDirection::BACKWARD_DATA:
    return Sig.input;
  case ConvDirection::BACKWARD_WEIGHT:
    break;
  }
  return Sig.weight;
}

/// True if the fastest dimension of the layout is a channel.
constexpr bool isChannelLast(TensorLayout Layout) {
  const LayoutFacts &Facts = factsOf(Layout);
  char Last = Facts.Count ? Facts.Letters[Facts.Count - 1] : '\0';
  return Last == 'C' || Last == 'K';
}

/// Sets the number of sharing work-groups; the problem decides which tiles they
/// share.
constexpr bool lowerStreamK(Lowered &L, const Split &Division, int Resident,
                            LoweringError &Error) {
  if (Division.k_batch > 1 || Division.two_stage)
    return Refusal(Error, StatusCode::InvalidArgument)
           << "algorithm.split.stream_k: divides sums itself; take it without "
              "k_batch and two_stage";
  L.split = device::split::SHARED;
  L.resident = Resident;
  L.persistent = Division.stream_k->persistent;
  L.in_pairs = Division.stream_k->reduction == StreamKReductionStrategy::TREE;
  return true;
}

/// Sets the division of sums and how their pieces are added. The GPU runs \p
/// Resident work-groups at once.
constexpr bool lowerSplit(Lowered &L, const Split &Division,
                          const Tensor &Result, int Resident,
                          LoweringError &Error) {
  auto Refused = [&](const char *Member, const char *Instead) -> bool {
    return Refusal(Error, StatusCode::NotImplemented)
           << "algorithm.split." << Member << ": no kernel does that; "
           << Instead;
  };
  if (Division.stream_k && Division.groups_merge > 1)
    return Refused("groups_merge", "take 1 where stream_k shares tiles");
  if (Division.stream_k)
    return lowerStreamK(L, Division, Resident, Error);
  L.k_batch = Division.k_batch;
  L.groups_merge = atLeastOne(Division.groups_merge);
  L.split = Division.two_stage      ? device::split::WORKSPACE
            : Division.k_batch == 1 ? device::split::NONE
            : canAddPieces(Result)  ? device::split::ADDED
                                    : device::split::NONE;
  if (L.split == device::split::NONE && Division.k_batch > 1)
    return Refusal(Error, StatusCode::InvalidArgument)
           << "algorithm.split.k_batch: pieces are added to a result of FP32, "
              "or of I32 without an operation; take two_stage";
  return true;
}

} // namespace detail

// Templates, here and in InstanceValues.h, hide walks over fields, so that only
// code that calls one pays for compiling it.

/// Returns \p Value, an Algorithm, with hints reset to their defaults, since
/// they do not change the kernel.
template <Fielded Struct> constexpr Struct withoutHints(const Struct &Value) {
  Struct Without = Value;
  detail::clearHint(Without);
  return Without;
}

/// The result of lowerValues().
struct Lowering {
  Lowered Value;
  LoweringError Error;
};

namespace detail {

/// Sets the members that depend on the signature only. Returns false if the
/// signature has open parts.
constexpr bool lowerSignature(Lowering &Result, const Signature &Sig,
                              std::string_view Processor) {
  for (const Tensor *Each : {&Sig.input, &Sig.weight, &Sig.output})
    if (!Each->operation ||
        Each->config.data_type == DataType::UNDEFINED_DATA_TYPE)
      return Refusal(Result.Error, StatusCode::InvalidArgument)
             << "signature: a type or an operation is left open; resolve it "
                "first";
  Lowered &L = Result.Value;
  L.direction = static_cast<int>(Sig.direction);
  L.spatial_dim = Sig.spatial_dim;
  L.accumulation = static_cast<int>(Sig.accumulation_data_type);
  L.fnuz = hasFnuz(Processor);
  L.channels_last = isChannelLast(resultOf(Sig).config.layout);
  L.input = loweredOf(Sig.input);
  L.weight = loweredOf(Sig.weight);
  L.output = loweredOf(Sig.output);
  return true;
}

/// Adds the algorithm to the output of lowerSignature(). Returns false if it
/// has no kernel.
constexpr bool lowerAlgorithm(Lowering &Result, const Signature &Sig,
                              const Algorithm &Algo,
                              std::string_view Processor) {
  if (Algo.kind == Kind::AUTO)
    return Refusal(Result.Error, StatusCode::NotImplemented)
           << "algorithm.kind: AUTO has no kernel; REFERENCE, DIRECT, "
              "IMPLICIT_GEMM and DEPTHWISE have";
  Lowered &L = Result.Value;
  L.kind = static_cast<int>(Algo.kind);
  L.block_size = Algo.block_size ? Algo.block_size : 256;
  if (Algo.kind == Kind::DEPTHWISE)
    return lowerDepthwise(L, Algo, Result.Error);
  if (Algo.kind != Kind::IMPLICIT_GEMM)
    return true;
  return TileLowering(L, Sig, Algo, Processor, Result.Error).run() &&
         (!Algo.split ||
          lowerSplit(
              L, *Algo.split, resultOf(Sig),
              isStreamK(Algo)
                  ? residentOf(Sig, Algo, findProcessor(Target(Processor)))
                  : 0,
              Result.Error));
}

} // namespace detail

/// Like lower(), with errors as a text.
constexpr Lowering lowerValues(const Signature &Sig, const Algorithm &Algo,
                               std::string_view Processor) {
  Lowering Result;
  if (detail::lowerSignature(Result, Sig, Processor))
    detail::lowerAlgorithm(Result, Sig, Algo, Processor);
  return Result;
}

/// Hashes a Signature and an Algorithm without hints, which identify a kernel.
template <Fielded Given, Fielded Way>
constexpr std::uint64_t kernelHashOf(const Given &Sig, const Way &Algo) {
  Hasher H;
  addTo(H, SchemaVersion);
  addTo(H, Sig);
  addTo(H, withoutHints(Algo));
  return H.finish();
}

/// Returns "conv_" and 16 hexadecimal digits.
constexpr FixedText<24> symbolNameOf(std::uint64_t KernelHash) {
  FixedText<24> Symbol("conv_");
  for (int Shift = 60; Shift >= 0; Shift -= 4)
    Symbol << "0123456789abcdef"[KernelHash >> Shift & 15];
  return Symbol;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_LOWERALGORITHM_H
