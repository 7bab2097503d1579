//===- OperationParameters.cpp - --set=, inputs of operations -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OperationParameters.h.
//
//===----------------------------------------------------------------------===//
#include "OperationParameters.h"

#include "ToolSupport/Errors.h"
#include "kpack/ConvBuilder/Product.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

namespace {

/// The numbers of one operation, and how many of them it reads.
struct Slot {
  OpNumbers *To;
  ElementwiseOperation Op;
  unsigned Count;
};

} // namespace

static Error wrong(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

static Slot getSlot(OpNumbers &Numbers, ElementwiseOperation Op) {
  return {&Numbers, Op, parameterCount(Op)};
}

/// Links of a chain share the numbers; DYNAMIC_UNARY_OP may read all, since its
/// operation is known at the call only.
static Slot ownSlot(TensorArgs &Args, const Operation &Op) {
  Slot Its = getSlot(Args.params, Op.elementwise_operation);
  if (Its.Op == ElementwiseOperation::DYNAMIC_UNARY_OP)
    Its.Count = 3;
  for (ElementwiseOperation Link : Op.chain)
    Its.Count = std::max(Its.Count, parameterCount(Link));
  return Its;
}

/// Finds the operation by \p Name, the text between the names of the tensor and
/// the number.
static Expected<Slot> findSlot(TensorArgs &Args, const Operation &Op,
                               StringRef Name) {
  if (Name.empty())
    return ownSlot(Args, Op);
  if (Name == "activation" && hasActivation(Op.elementwise_operation))
    return getSlot(Args.params.activation, Op.activation);
  unsigned Index;
  const auto &Operands = Op.auxiliary_operand_configs;
  StringRef Digits = Name;
  if (Digits.consume_front("d") && !Digits.getAsInteger(10, Index) &&
      Index < Operands.size())
    return getSlot(Args.auxiliary[Index].params,
                   Operands[Index].elementwise_operation);
  return wrong(StringRef(nameOf(Op.elementwise_operation)) + " has no '" +
               Name + "'; see 'conv-builder run --help'");
}

static Error setNumber(const Slot &Target, StringRef Name, StringRef Value) {
  constexpr StringRef Counted[] = {"no number", "a", "a and b", "a, b and c"};
  float *All[] = {&Target.To->a, &Target.To->b, &Target.To->c};
  size_t Which = Name.size() == 1 ? StringRef("abc").find(Name) : Name.npos;
  if (Which >= Target.Count)
    return wrong(StringRef(nameOf(Target.Op)) + " takes " +
                 Counted[Target.Count] + "; see 'conv-builder ops'");
  double Parsed;
  if (Value.getAsDouble(Parsed))
    return wrong("'" + Value + "' is no number; give one, such as 0.5");
  *All[Which] = static_cast<float>(Parsed);
  return Error::success();
}

static Error setDynamic(OpParams &Params, ElementwiseOperation Op,
                        StringRef Value) {
  if (Op != ElementwiseOperation::DYNAMIC_UNARY_OP)
    return wrong(StringRef(nameOf(Op)) +
                 " is not chosen by a call; DYNAMIC_UNARY_OP is");
  ElementwiseOperation Named;
  if (!valueOf(std::string_view(Value), Named) || !isUnary(Named))
    return wrong("'" + Value +
                 "' is no operation of one value; see 'conv-builder ops'");
  Params.dynamic = Named;
  static_cast<OpNumbers &>(Params) = defaultNumbers(Named);
  return Error::success();
}

static Error setOne(Args &Numbers, const Signature &Sig, StringRef Path,
                    StringRef Value) {
  auto [Tensor, Rest] = Path.split('.');
  Role TensorRole = Tensor == "input"    ? Role::Input
                    : Tensor == "weight" ? Role::Weight
                    : Tensor == "output" ? Role::Output
                                         : Role::None;
  if (TensorRole == Role::None || Rest.empty() || Value.empty())
    return wrong("says no number; give <tensor>.<number>=<value>, such as "
                 "output.a=0.5");
  TensorArgs &Target = TensorRole == Role::Input    ? Numbers.input
                       : TensorRole == Role::Weight ? Numbers.weight
                                                    : Numbers.output;
  const Operation &Op = *tensorOf(Sig, TensorRole).operation;
  if (Rest == "dynamic")
    return setDynamic(Target.params, Op.elementwise_operation, Value);
  auto [Before, Last] = Rest.rsplit('.');
  bool IsOwn = Last.empty();
  Expected<Slot> Its = findSlot(Target, Op, IsOwn ? StringRef() : Before);
  if (!Its)
    return Its.takeError();
  return setNumber(*Its, IsOwn ? Before : Last, Value);
}

Error conv::setNumbers(Args &Numbers, const Signature &Sig,
                       const std::vector<std::string> &Settings) {
  for (StringRef Setting : Settings) {
    auto [Path, Value] = Setting.split('=');
    if (Error E = setOne(Numbers, Sig, Path, Value))
      return objectError("--set=" + Setting.str(), std::move(E));
  }
  return Error::success();
}
