//===- Lower.cpp - what a kernel is made of -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values to integers, and the proof that kernels mean the same by them: they
// include no header of the builder, so each number is compared here.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Lower.h"

#include "Depthwise.h"
#include "Tiles.h"
#include "kpack/ConvBuilder/Layouts.h"
#include "kpack/ConvBuilder/Resources.h"
#include "kpack/ConvBuilder/kernels/split.h"

using namespace kpack;
using namespace kpack::conv;

namespace {

// A name that kernels do not have, and one that is another number there, do not
// compile.
#define KPACK_CONV_SAME(SPACE, ENUM, NAME)                                     \
  static_assert(int(device::SPACE::NAME) == int(ENUM::NAME));
#define KPACK_CONV_DATA_TYPE(NAME, TEXT) KPACK_CONV_SAME(type, DataType, NAME)
#define KPACK_CONV_DIRECTION(NAME, TEXT)                                       \
  KPACK_CONV_SAME(direction, ConvDirection, NAME)
#define KPACK_CONV_OPERATION(NAME, AUXILIARY, PARAMETERS, TEXT)                \
  KPACK_CONV_SAME(op, ElementwiseOperation, NAME)
#include "kpack/ConvBuilder/Enums.def"
#undef KPACK_CONV_SAME

static_assert(device::MaxAuxiliaryOfTensor == int(MaxAuxiliary));
static_assert(MaxChain == 4, "LoweredTensor has as many links");

void clearHint(auto &) {}
template <typename T> void clearHint(Optional<T> &Part);
template <Fielded T> void clearHint(T &Value) {
  forEachField<T>([&](auto Member, const Field &F) {
    if (F.Class == FieldClass::Hint)
      Value.*Member = T().*Member;
    else
      clearHint(Value.*Member);
  });
}
template <typename T> void clearHint(Optional<T> &Part) {
  if (Part)
    clearHint(*Part);
}

LoweredAuxiliary loweredOf(const AuxiliaryOperand &Operand) {
  return {static_cast<int>(Operand.data_type),
          static_cast<int>(Operand.compute_type),
          static_cast<int>(Operand.elementwise_operation)};
}

LoweredTensor loweredOf(const Tensor &T) {
  const Operation &Op = *T.operation;
  LoweredTensor L;
  L.type = static_cast<int>(T.config.data_type);
  L.compute = static_cast<int>(T.config.compute_type);
  L.operation = static_cast<int>(Op.elementwise_operation);
  L.activation = static_cast<int>(Op.activation);
  int *Links[] = {&L.chain0, &L.chain1, &L.chain2, &L.chain3};
  for (unsigned I = 0; I < MaxChain; ++I)
    *Links[I] = static_cast<int>(
        I < Op.chain.size() ? Op.chain[I] : ElementwiseOperation::PASS_THROUGH);
  const auto &Operands = Op.auxiliary_operand_configs;
  LoweredAuxiliary *To[] = {&L.auxiliary0, &L.auxiliary1, &L.auxiliary2,
                            &L.auxiliary3, &L.auxiliary4};
  L.auxiliary_count = static_cast<int>(Operands.size());
  for (unsigned I = 0; I < Operands.size(); ++I)
    *To[I] = loweredOf(Operands[I]);
  return L;
}

const Tensor &resultOf(const Signature &Sig) {
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

/// Whether the last letter of its layout is a channel.
bool isChannelLast(TensorLayout Layout) {
  const LayoutFacts &Facts = factsOf(Layout);
  char Last = Facts.Count ? Facts.Letters[Facts.Count - 1] : '\0';
  return Last == 'C' || Last == 'K';
}

/// Which pieces a sum has, and how they come together.
Status lowerSplit(Lowered &L, const Split &How, const Tensor &Result) {
  auto Refused = [](const char *Member, const char *Instead) {
    return Status(StatusCode::NotImplemented,
                  std::string("algorithm.split.") + Member +
                      ": no kernel does that; " + Instead);
  };
  if (How.stream_k)
    return Refused("stream_k", "k_batch divides sums");
  if (How.groups_merge > 1)
    return Refused("groups_merge", "take 1");
  if (How.split_image)
    return Refused("split_image", "take a part of the batch at a time");
  L.k_batch = How.k_batch;
  L.split = How.two_stage          ? device::split::WORKSPACE
            : How.k_batch == 1     ? device::split::NONE
            : canAddPieces(Result) ? device::split::ADDED
                                   : device::split::NONE;
  if (L.split == device::split::NONE && How.k_batch > 1)
    return Status(StatusCode::InvalidArgument,
                  "algorithm.split.k_batch: pieces are added to a result of "
                  "FP32, or of I32 without an operation; take two_stage");
  return Status::success();
}

} // namespace

List<KernelStep, MaxSteps> conv::stepsOf(const Lowered &L) {
  switch (L.split) {
  case device::split::ADDED:
    return {KernelStep::Zero, KernelStep::Main};
  case device::split::WORKSPACE:
    return {KernelStep::Main, KernelStep::Reduce};
  default:
    return {KernelStep::Main};
  }
}

std::string_view conv::suffixOf(KernelStep Of) {
  constexpr std::string_view Suffixes[MaxSteps] = {"_zero", "", "_reduce"};
  return Suffixes[static_cast<int>(Of)];
}

Algorithm conv::withoutHints(const Algorithm &A) {
  Algorithm Without = A;
  clearHint(Without);
  return Without;
}

bool conv::hasFnuz(std::string_view Processor) {
  return Processor.starts_with("gfx94") || Processor.starts_with("gfx9-4-");
}

Result<Lowered> conv::lower(const Signature &Sig, const Algorithm &How,
                            std::string_view Processor) {
  if (How.kind == Kind::AUTO)
    return Status(StatusCode::NotImplemented,
                  "algorithm.kind: AUTO has no kernel; REFERENCE, DIRECT, "
                  "IMPLICIT_GEMM and DEPTHWISE have");
  for (const Tensor *T : {&Sig.input, &Sig.weight, &Sig.output})
    if (!T->operation || T->config.data_type == DataType::UNDEFINED_DATA_TYPE)
      return Status(StatusCode::InvalidArgument,
                    "signature: a type or an operation is left open; resolve "
                    "it first");
  Lowered L;
  L.kind = static_cast<int>(How.kind);
  L.direction = static_cast<int>(Sig.direction);
  L.accumulation = static_cast<int>(Sig.accumulation_data_type);
  L.fnuz = hasFnuz(Processor);
  L.channels_last = isChannelLast(resultOf(Sig).config.layout);
  L.block_size = How.block_size ? How.block_size : 256;
  L.input = loweredOf(Sig.input);
  L.weight = loweredOf(Sig.weight);
  L.output = loweredOf(Sig.output);
  if (How.kind == Kind::DEPTHWISE)
    if (Status S = lowerDepthwise(L, How); !S.ok())
      return S;
  if (How.kind != Kind::IMPLICIT_GEMM)
    return L;
  if (Status S = lowerTiles(L, How, Processor); !S.ok())
    return S;
  if (How.split)
    if (Status S = lowerSplit(L, *How.split, resultOf(Sig)); !S.ok())
      return S;
  return L;
}
