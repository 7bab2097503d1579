//===- ConvCase.cpp - random convolution and its reference ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "ConvCase.h"

#include "kpack/ConvBuilder/Text.h"
#include "kpack/ConvBuilder/kernels/depthwise.h"
#include "kpack/ConvBuilder/kernels/direct.h"
#include "kpack/ConvBuilder/kernels/igemm.h"
#include "kpack/ConvBuilder/kernels/reference.h"

#include <algorithm>
#include <cstring>

using namespace kpack;
using namespace kpack::conv;

namespace {

constexpr Role Roles[] = {Role::Input, Role::Weight, Role::Output};

/// What a test says of a comparison; empty: nothing differs.
std::string getMessage(const Comparison &Found, const ConvCase &Case) {
  if (Found.ok())
    return "";
  const Mismatch &First = Found.First.front();
  return "element " + std::to_string(First.Element) + " is " +
         std::to_string(First.Is) + ", should be " +
         std::to_string(First.Should) + " in " + Case.text();
}

} // namespace

std::string ConvCase::text() const {
  return std::string(textOf(Sig).view()) + " " + std::string(textOf(P).view());
}

unsigned ConvCase::result() const {
  return Sig.direction == ConvDirection::FORWARD         ? 2
         : Sig.direction == ConvDirection::BACKWARD_DATA ? 0
                                                         : 1;
}

Args ConvCase::args(std::vector<TensorBytes> &Contents) const {
  std::vector<void *> Pointers;
  for (TensorBytes &Each : Contents)
    Pointers.push_back(Each.data());
  return argsAt(Sig, Numbers, Pointers);
}

bool ConvCase::fill(unsigned Seed, TestNumbers Which) {
  Result<std::vector<CallTensor>> Tensors = callTensors(Sig, P);
  if (!Tensors)
    return false;
  Memory = testData(Sig, *Tensors, Form, Seed, Which);
  return true;
}

std::vector<TensorBytes> ConvCase::expected() const {
  std::vector<TensorBytes> Results = Memory;
  if (Status S = reference(Sig, P, args(Results), Form); !S.ok())
    Results.clear();
  return Results;
}

std::string ConvCase::compare(const std::vector<TensorBytes> &Expected,
                              const TensorBytes &Result) const {
  kpack::Result<std::vector<CallTensor>> Tensors = callTensors(Sig, P);
  if (Expected.empty() || !Tensors)
    return "the reference refuses " + text();
  const TensorBytes &Right = Expected[result()];
  if (Right.size() != Result.size())
    return "other size";
  return getMessage(compareStored((*Tensors)[result()], Form, Right, Result, 1),
                    *this);
}

std::string ConvCase::compareNearly(const TensorBytes &Result,
                                    const Tolerance &By) const {
  std::vector<TensorBytes> Own = Memory;
  kpack::Result<ReferenceResult> Right =
      resultOf(Sig, P, args(Own), Form, By.Errors);
  kpack::Result<std::vector<CallTensor>> Tensors = callTensors(Sig, P);
  if (!Right || !Tensors)
    return "the reference refuses " + text();
  return getMessage(conv::compareNearly((*Tensors)[result()], Form, *Right,
                                        Result, By.Ulps, 1),
                    *this);
}

//===----------------------------------------------------------------------===//
// Random cases
//===----------------------------------------------------------------------===//

TensorLayout RandomCase::layout(Role TensorRole, int Dims) {
  std::vector<TensorLayout> Fitting;
  for (size_t I = 1; I < EnumCount<TensorLayout>; ++I) {
    auto Layout = static_cast<TensorLayout>(I);
    const LayoutFacts &Facts = factsOf(Layout);
    if (Facts.Of == TensorRole &&
        (TensorRole == Role::Bias || Facts.SpatialDim == Dims))
      Fitting.push_back(Layout);
  }
  return Fitting[static_cast<size_t>(choose(static_cast<int>(Fitting.size())))];
}

void RandomCase::chooseTypes(Signature &Sig) {
  constexpr DataType Floats[] = {DataType::FP32, DataType::FP16, DataType::BF16,
                                 DataType::FP8, DataType::BF8};
  constexpr DataType Integers[] = {DataType::I8, DataType::U8};
  bool IsInteger = choose(4) == 0;
  for (Tensor *T : {&Sig.input, &Sig.weight, &Sig.output}) {
    int Which = choose(IsInteger ? 2 : 5);
    T->config.data_type = IsInteger ? Integers[Which] : Floats[Which];
  }
  Tensor &Result = Sig.direction == ConvDirection::FORWARD         ? Sig.output
                   : Sig.direction == ConvDirection::BACKWARD_DATA ? Sig.input
                                                                   : Sig.weight;
  if (below(4) == 0)
    Result.config.data_type = IsInteger ? DataType::I32 : DataType::FP64;
  if (!IsInteger && below(4) == 0)
    Sig.accumulation_data_type = DataType::FP64;
  if (IsInteger)
    Sig.accumulation_data_type = DataType::I32;
  // Wider than the elements, or, asked for, narrower.
  for (Tensor *T : {&Sig.input, &Sig.weight, &Sig.output})
    if (!IsInteger && below(4) == 0)
      T->config.compute_type = below(2) ? DataType::FP32 : DataType::BF16;
}

void RandomCase::chooseOperation(Tensor &T, Role TensorRole, bool IsResult,
                                 unsigned &Left) {
  constexpr DataType Types[] = {DataType::FP32, DataType::FP16, DataType::BF16,
                                DataType::I32};
  constexpr ElementwiseOperation Unaries[] = {
      ElementwiseOperation::PASS_THROUGH, ElementwiseOperation::UNARY_ABS,
      ElementwiseOperation::RELU};
  Operation &Op = T.operation.make();
  auto Any = static_cast<ElementwiseOperation>(
      choose(EnumCount<ElementwiseOperation>));
  // Operands are as they are in half of the cases.
  bool IsAny = isExact(Any) && auxiliaryCount(Any) <= Left &&
               (IsResult || below(2)) &&
               (!isQuantised(Any) || T.config.data_type == DataType::I8 ||
                T.config.data_type == DataType::U8);
  if (!IsAny)
    return;
  Op.elementwise_operation = Any;
  Left -= auxiliaryCount(Any);
  if (Any == ElementwiseOperation::UNARY_COMBINED_OP)
    Op.chain = {ElementwiseOperation::RELU, ElementwiseOperation::CLIPPED_RELU,
                ElementwiseOperation::UNARY_ABS};
  if (isQuantised(Any))
    Op.activation = below(2) ? ElementwiseOperation::RELU
                             : ElementwiseOperation::LEAKY_RELU;
  for (unsigned I = 0; I < auxiliaryCount(Any); ++I) {
    AuxiliaryOperand Operand;
    Operand.layout =
        below(3) ? layout(Role::Bias, 0)
                 : layout(TensorRole, factsOf(T.config.layout).SpatialDim);
    Operand.data_type = Types[below(4)];
    if (Any != ElementwiseOperation::BIAS_BNORM_CLAMP)
      Operand.elementwise_operation = Unaries[below(3)];
    Op.auxiliary_operand_configs.push(Operand);
  }
}

void RandomCase::chooseProblem(ConvCase &Case) {
  Problem &P = Case.P;
  P.groups = 1 + choose(MostGroups);
  P.batch = 1 + choose(3);
  int MostChannels = ChannelStep > 1 ? 2 : 5;
  P.c = ChannelStep * (1 + choose(MostChannels));
  P.k = ChannelStep * (1 + choose(MostChannels));
  for (int D = 0; D < Case.Sig.spatial_dim; ++D) {
    int Filter = 1 + choose(3), Dilation = 1 + choose(2);
    Pad Around{choose(3), choose(3)};
    int Reach = Dilation * (Filter - 1) + 1;
    P.filter.push(Filter);
    P.stride.push(1 + choose(3));
    P.dilation.push(Dilation);
    P.pad.push(Around);
    P.image.push(std::max(1, Reach - Around.before - Around.after) + below(4));
  }
}

Strides RandomCase::stridesFor(TensorLayout Layout, const Problem &P,
                               const Signature &Sig) {
  const LayoutFacts &Facts = factsOf(Layout);
  auto ExtentOf = [&](char Letter) -> long long {
    constexpr std::string_view Image = "DHW", Filter = "ZYX";
    auto Dims = static_cast<unsigned>(Sig.spatial_dim);
    size_t InImage = Image.find(Letter), InFilter = Filter.find(Letter);
    if (InFilter != std::string_view::npos)
      return P.filter[static_cast<unsigned>(InFilter) + Dims - 3];
    if (InImage != std::string_view::npos) {
      unsigned D = static_cast<unsigned>(InImage) + Dims - 3;
      return Facts.Of == Role::Output ? outputSize(P, D) : P.image[D];
    }
    // A bias's C may be the output's channel.
    return Letter == 'G'            ? P.groups
           : Letter == 'N'          ? P.batch
           : Facts.Of == Role::Bias ? std::max(P.c, P.k)
                                    : (Letter == 'C' ? P.c : P.k);
  };
  std::vector<unsigned> Order(Facts.Count);
  for (unsigned I = 0; I < Facts.Count; ++I)
    Order[I] = I;
  std::shuffle(Order.begin(), Order.end(), Random);
  Strides Result;
  for (unsigned I = 0; I < Facts.Count; ++I)
    Result.push(0);
  long long Next = 1 + below(2);
  for (unsigned I : Order) {
    Result[I] = Next;
    Next = Next * ExtentOf(Facts.Letters[I]) + below(3);
  }
  return Result;
}

ConvCase RandomCase::next() {
  Choices.clear();
  ConvCase Case;
  Signature &Sig = Case.Sig;
  Sig.direction = static_cast<ConvDirection>(choose(3));
  Sig.spatial_dim = 1 + choose(3);
  Case.Form = below(2) ? Fp8Form::Fnuz : Fp8Form::Ocp;
  Sig.input.config.layout = layout(Role::Input, Sig.spatial_dim);
  Sig.weight.config.layout = layout(Role::Weight, Sig.spatial_dim);
  Sig.output.config.layout = layout(Role::Output, Sig.spatial_dim);
  chooseTypes(Sig);
  chooseProblem(Case);
  unsigned Left = MaxAuxiliary;
  unsigned Result = Case.result();
  Tensor *Tensors[] = {&Sig.input, &Sig.weight, &Sig.output};
  chooseOperation(*Tensors[Result], Roles[Result], true, Left);
  for (unsigned T = 0; T < 3; ++T)
    if (T != Result)
      chooseOperation(*Tensors[T], Roles[T], false, Left);
  Sig = resolveSignature(Sig);
  Case.Numbers = argsFor(Sig);
  TensorArgs *Numbers[] = {&Case.Numbers.input, &Case.Numbers.weight,
                           &Case.Numbers.output};
  Strides *Given[] = {&Case.P.input_strides, &Case.P.weight_strides,
                      &Case.P.output_strides};
  for (unsigned T = 0; T < 3; ++T) {
    const Operation &Op = *tensorOf(Sig, Roles[T]).operation;
    Numbers[T]->params = exactNumbers(Op.elementwise_operation);
    TensorLayout Layout = tensorOf(Sig, Roles[T]).config.layout;
    if (factsOf(Layout).Strided)
      *Given[T] = stridesFor(Layout, Case.P, Sig);
    for (const AuxiliaryOperand &Operand : Op.auxiliary_operand_configs)
      Case.P.auxiliary_strides.push(
          factsOf(Operand.layout).Strided
              ? stridesFor(Operand.layout, Case.P, Sig)
              : Strides());
  }
  return Case;
}

//===----------------------------------------------------------------------===//
// Kernels without a compile
//===----------------------------------------------------------------------===//

namespace {

void runThread(const Lowered &Kernel, KernelStep Which,
               const device::Arguments &All,
               const device::AuxiliaryArgument *Auxiliary,
               const device::Place &Here) {
  if (Which == KernelStep::Zero)
    return device::zeroResults(Kernel, All, Auxiliary, Here);
  if (Which == KernelStep::Reduce && Kernel.split == device::split::SHARED)
    return device::reduceShared(Kernel, All, Auxiliary, Here);
  if (Which == KernelStep::Reduce)
    return device::reducePieces(Kernel, All, Auxiliary, Here);
  switch (static_cast<Kind>(Kernel.kind)) {
  case Kind::REFERENCE:
    return device::reference(Kernel, All, Auxiliary, Here);
  case Kind::IMPLICIT_GEMM:
    return device::igemm(Kernel, All, Auxiliary, Here);
  case Kind::DEPTHWISE:
    return device::depthwise(Kernel, All, Auxiliary, Here);
  default:
    return device::direct(Kernel, All, Auxiliary, Here);
  }
}

} // namespace

void conv::runNatively(const Lowered &Kernel, const KernelLaunch &Launch) {
  const auto &All =
      *reinterpret_cast<const device::Arguments *>(Launch.Arguments.data());
  const auto *Auxiliary = reinterpret_cast<const device::AuxiliaryArgument *>(
      Launch.Arguments.data() + offsetof(device::AllArguments<0>, Auxiliary));
  device::Place Here;
  for (const LaunchStep &Step : Launch.Steps)
    for (Here.Group[2] = 0; Here.Group[2] < Step.Grid[2]; ++Here.Group[2])
      for (Here.Group[1] = 0; Here.Group[1] < Step.Grid[1]; ++Here.Group[1])
        for (Here.Group[0] = 0; Here.Group[0] < Step.Grid[0]; ++Here.Group[0])
          for (Here.Thread = 0; Here.Thread < Step.Block; ++Here.Thread)
            runThread(Kernel, Step.Which, All, Auxiliary, Here);
}
