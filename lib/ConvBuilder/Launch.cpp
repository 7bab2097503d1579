//===- Launch.cpp - grid and arguments of a kernel launch -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch has the bytes of the kernel's arguments as kernels/shared.h
// defines them: Arguments, then an AuxiliaryArgument for each operand. Sizes
// are checked here, since a kernel uses 32 bits for values that fit.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Kernel.h"

#include "Depthwise.h"
#include "TileFit.h"
#include "kpack/ConvBuilder/Resources.h"
#include "kpack/ConvBuilder/TensorShape.h"
#include "kpack/ConvBuilder/kernels/shared.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// The limit of every runtime in the second and third direction; kernels loop
/// over the rest.
constexpr long long MostGroups = 65535;

device::Strides stridesOf(const TensorShape &Shape) {
  device::Strides S;
  std::copy(std::begin(Shape.Strides), std::end(Shape.Strides), S.Of);
  return S;
}

device::Parameters makeNumbers(const OpNumbers &Numbers) {
  return {Numbers.a, Numbers.b, Numbers.c};
}

void setTensor(device::TensorArgument &Target, const TensorArgs &Source) {
  Target.Data = Source.data;
  Target.Operation = {makeNumbers(Source.params),
                      makeNumbers(Source.params.activation),
                      static_cast<int>(Source.params.dynamic)};
}

/// Returns the number of the tiles' products, which combine several groups
/// each.
long long getProducts(const Lowered &Kernel, long long Groups) {
  return (Groups + Kernel.groups_merge - 1) / Kernel.groups_merge;
}

/// Returns the number of products that are added for one element, including
/// those with other groups of the tile, which are zeros.
long long getDepth(const Signature &Sig, const Lowered &Kernel,
                   const TensorShape &Weight, const TensorShape &Output) {
  const TensorShape &Taps =
      Sig.direction == ConvDirection::BACKWARD_WEIGHT ? Output : Weight;
  long long Inner = Sig.direction == ConvDirection::FORWARD ? Weight.Extents[2]
                    : Sig.direction == ConvDirection::BACKWARD_DATA
                        ? Weight.Extents[1]
                        : Output.Extents[1];
  int Groups =
      Sig.direction == ConvDirection::BACKWARD_WEIGHT ? 1 : Kernel.groups_merge;
  return Groups * Inner * Taps.Extents[3] * Taps.Extents[4] * Taps.Extents[5];
}

/// Returns the pieces of a sum of the length \p Depth. Errors: a number that
/// the kernel does not support.
Result<int> piecesOf(const Lowered &Kernel, const Problem &P, long long Depth) {
  auto Bad = [](const std::string &Message) {
    return Status(StatusCode::InvalidArgument, "problem.k_batch: " + Message);
  };
  if (P.k_batch > 0 && Kernel.k_batch > 0 && P.k_batch != Kernel.k_batch)
    return Bad("is " + std::to_string(P.k_batch) + ", and the kernel has " +
               std::to_string(Kernel.k_batch) + " pieces");
  int Pieces = std::max(1, Kernel.k_batch ? Kernel.k_batch : P.k_batch);
  if (Pieces == 1)
    return 1;
  if (Kernel.split == device::split::NONE)
    return Bad(std::to_string(Pieces) +
               " pieces are not added to such a result; take split.two_stage");
  long long Most = (Depth + Kernel.tile_k - 1) / Kernel.tile_k;
  if (Pieces > Most || static_cast<long long>(Pieces) * P.groups >= 1ll << 31)
    return Bad(std::to_string(Pieces) + " pieces, and the sum has " +
               std::to_string(Most) + " of tile.k in each of " +
               std::to_string(P.groups) + " groups");
  return Pieces;
}

uint32_t atMost(long long Count, long long Most) {
  return static_cast<uint32_t>(std::min(Count, Most));
}

/// Returns the work-groups of a product of matrices, one for each tile.
Result<LaunchStep> tiledStep(const Lowered &Kernel, const long long *E,
                             long long Depth, int Pieces) {
  bool IsWeight =
      Kernel.direction == static_cast<int>(ConvDirection::BACKWARD_WEIGHT);
  long long Positions = E[3] * E[4] * E[5];
  long long Groups = Kernel.groups_merge;
  long long Rows = E[1] * (IsWeight ? Groups : Positions);
  long long Columns = E[2] * Groups * (IsWeight ? Positions : 1);
  for (long long Size : {Rows, Columns, Depth})
    if (Size >= (1ll << 31) - 4096)
      return Status(StatusCode::InvalidArgument,
                    "problem: the product has " + std::to_string(Size) +
                        " rows, columns or summands; IMPLICIT_GEMM has up to "
                        "2147479551");
  return LaunchStep{
      KernelStep::Main,
      {static_cast<uint32_t>((Rows + Kernel.tile_m - 1) / Kernel.tile_m),
       atMost((Columns + Kernel.tile_n - 1) / Kernel.tile_n, MostGroups),
       atMost(getProducts(Kernel, E[0]) * Pieces, MostGroups)},
      static_cast<uint32_t>(Kernel.block_size)};
}

/// Returns the tiles of a kernel that shares some, else nullopt.
std::optional<StreamTiles> computeSharedTiles(const Lowered &Kernel,
                                              const Signature &Sig,
                                              const Problem &P) {
  if (Kernel.split != device::split::SHARED)
    return std::nullopt;
  return streamTilesOf(productOf(Sig, P), P.groups,
                       {Kernel.tile_m, Kernel.tile_n, Kernel.tile_k},
                       Kernel.resident);
}

/// The step of a product with shared tiles: work-groups and tiles are numbered
/// separately.
Result<LaunchStep> streamStep(const Lowered &Kernel, const StreamTiles &Tiles) {
  auto Bad = [](long long Count, const char *Noun, long long Most) {
    return Status(StatusCode::InvalidArgument,
                  "problem: the product has " + std::to_string(Count) + Noun +
                      "; stream_k has up to " + std::to_string(Most));
  };
  long long MostTiles = mostOfStream(Kernel.block_size),
            MostSteps = (1ll << 31) - 1;
  if (Tiles.Whole + Tiles.Sharers > MostTiles)
    return Bad(Tiles.Whole + Tiles.Sharers, " tiles and sharers", MostTiles);
  if (Tiles.line() > MostSteps)
    return Bad(Tiles.line(), " tiles of k to share", MostSteps);
  long long Groups =
      workGroupsOf(Tiles, Kernel.persistent != 0, Kernel.resident);
  return LaunchStep{KernelStep::Main,
                    {static_cast<uint32_t>(Groups), 1, 1},
                    static_cast<uint32_t>(Kernel.block_size)};
}

/// The step that adds the parts of shared tiles. Threads lie over one tile.
LaunchStep reduceSharedStep(const Lowered &Kernel, const StreamTiles &Tiles) {
  constexpr int Threads = device::split::Threads;
  return LaunchStep{KernelStep::Reduce,
                    {static_cast<uint32_t>(
                         ceilDiv(1ll * Kernel.tile_m * Kernel.tile_n, Threads)),
                     static_cast<uint32_t>(Tiles.Shared), 1},
                    Threads};
}

/// The step whose threads lie over the elements of one group and outer number.
Result<LaunchStep> plainStep(KernelStep Which, const long long *E,
                             long long Block) {
  long long InGroup = E[2] * E[3] * E[4] * E[5];
  if (InGroup >= 1ll << 31)
    return Status(StatusCode::InvalidArgument,
                  "problem: channels times positions of the result are " +
                      std::to_string(InGroup) +
                      (Which == KernelStep::Main ? "; DIRECT has"
                                                 : "; sums in pieces have") +
                      " up to 2147483647 of them");
  return LaunchStep{Which,
                    {static_cast<uint32_t>((InGroup + Block - 1) / Block),
                     atMost(E[1], MostGroups), atMost(E[0], MostGroups)},
                    static_cast<uint32_t>(Block)};
}

/// Returns the step of the kernel that every code object has.
Result<LaunchStep> mainStep(const Signature &Sig, const Lowered &Kernel,
                            const Problem &P, const long long *E,
                            long long Depth, int Pieces) {
  long long Block = Kernel.block_size;
  switch (static_cast<Kind>(Kernel.kind)) {
  case Kind::REFERENCE: {
    long long All = E[0] * E[1] * E[2] * E[3] * E[4] * E[5];
    return LaunchStep{KernelStep::Main,
                      {atMost((All + Block - 1) / Block, 1ll << 22), 1, 1},
                      static_cast<uint32_t>(Block)};
  }
  case Kind::IMPLICIT_GEMM: {
    Result<LaunchStep> Step = tiledStep(Kernel, E, Depth, Pieces);
    std::optional<StreamTiles> Tiles = computeSharedTiles(Kernel, Sig, P);
    return Step && Tiles ? streamStep(Kernel, *Tiles) : Step;
  }
  case Kind::DEPTHWISE:
    return depthwiseStep(Sig, Kernel, P, E);
  default:
    return plainStep(KernelStep::Main, E, Block);
  }
}

/// Sets all steps of a kernel whose result has this shape.
Status setSteps(const Signature &Sig, const Lowered &Kernel, const Problem &P,
                const TensorShape &Shape, long long Depth, int Pieces,
                KernelLaunch &Launch) {
  std::optional<StreamTiles> Tiles = computeSharedTiles(Kernel, Sig, P);
  for (KernelStep Which : stepsOf(Kernel)) {
    // A single piece is stored, not added; and without shared tiles there is
    // nothing to reduce.
    if ((Which == KernelStep::Zero && Pieces == 1) ||
        (Which == KernelStep::Reduce && Tiles && !Tiles->Shared))
      continue;
    Result<LaunchStep> Step =
        Which == KernelStep::Main
            ? mainStep(Sig, Kernel, P, Shape.Extents, Depth, Pieces)
        : Tiles ? reduceSharedStep(Kernel, *Tiles)
                : plainStep(Which, Shape.Extents, device::split::Threads);
    if (!Step)
      return Step.status();
    Launch.Steps.push(*Step);
  }
  return Status::success();
}

/// Sets sizes and strides, but nothing that depends on the call.
void setProblem(device::Arguments &Args, const Signature &Sig, const Problem &P,
                const TensorShape &Output) {
  Args.Groups = P.groups, Args.Batch = P.batch, Args.InChannels = P.c,
  Args.OutChannels = P.k;
  for (int D = 0; D < 3; ++D) {
    Args.Image[D] = Args.Filter[D] = Args.Stride[D] = Args.Dilation[D] = 1;
    Args.Pad[D] = 0;
    Args.Result[D] = static_cast<int>(Output.Extents[3 + D]);
  }
  auto Dims = static_cast<unsigned>(Sig.spatial_dim);
  for (unsigned D = 0; D < Dims; ++D) {
    unsigned Axis = 3 - Dims + D;
    Args.Image[Axis] = P.image[D];
    Args.Filter[Axis] = P.filter[D];
    Args.Stride[Axis] = strideOf(P, D);
    Args.Dilation[Axis] = dilationOf(P, D);
    Args.Pad[Axis] = padOf(P, D).before;
  }
}

/// Sets the strides of the auxiliary operands of one tensor.
Status setAuxiliary(device::AuxiliaryArgument *&Slot, const Signature &Sig,
                    const Problem &P, Role TensorRole, const Tensor &T) {
  unsigned Count = T.operation->auxiliary_operand_configs.size();
  for (unsigned I = 0; I < Count; ++I) {
    Result<TensorShape> Shape = auxiliaryShapeOf(Sig, P, TensorRole, I);
    if (!Shape)
      return Shape.status();
    (Slot++)->Stride = stridesOf(*Shape);
  }
  return Status::success();
}

static_assert(offsetof(device::AllArguments<0>, Auxiliary) +
                  3 * MaxAuxiliary * sizeof(device::AuxiliaryArgument) <=
              ArgumentBytes::MaxBytes);

device::Arguments &getAll(ArgumentBytes &Bytes) {
  return *reinterpret_cast<device::Arguments *>(Bytes.data());
}

device::AuxiliaryArgument *auxiliaryOf(ArgumentBytes &Bytes) {
  return reinterpret_cast<device::AuxiliaryArgument *>(
      Bytes.data() + offsetof(device::AllArguments<0>, Auxiliary));
}

} // namespace

void KernelLaunch::setArgs(const Args &With) {
  device::Arguments &All = getAll(Arguments);
  setTensor(All.Input, With.input);
  setTensor(All.Weight, With.weight);
  setTensor(All.Output, With.output);
  All.Workspace = With.workspace;
  device::AuxiliaryArgument *Slot = auxiliaryOf(Arguments);
  const TensorArgs *Tensors[] = {&With.input, &With.weight, &With.output};
  for (int Operand = 0; Operand < 3; ++Operand)
    for (unsigned I = 0; I < AuxiliaryCounts[Operand]; ++I, ++Slot) {
      Slot->Data = Tensors[Operand]->auxiliary[I].data;
      Slot->Own = makeNumbers(Tensors[Operand]->auxiliary[I].params);
    }
}

long long conv::workspaceBytes(const Signature &Sig, const Lowered &Kernel,
                               const Problem &P) {
  if (std::optional<StreamTiles> Tiles = computeSharedTiles(Kernel, Sig, P))
    return workspaceOf(*Tiles, {Kernel.tile_m, Kernel.tile_n, Kernel.tile_k},
                       Sig.accumulation_data_type);
  if (Kernel.split != device::split::WORKSPACE)
    return 0;
  int Pieces = std::max(1, Kernel.k_batch ? Kernel.k_batch : P.k_batch);
  return times(Pieces, elementsOf(P, roleOfResult(Sig.direction)),
               bytesOf(Sig.accumulation_data_type));
}

Result<KernelLaunch> conv::launchOf(const Signature &Sig, const Lowered &Kernel,
                                    const Problem &P, const Args &With) {
  Result<TensorShape> Input = shapeOf(Sig, P, Role::Input);
  Result<TensorShape> Weight = shapeOf(Sig, P, Role::Weight);
  Result<TensorShape> Output = shapeOf(Sig, P, Role::Output);
  for (const Result<TensorShape> *Each : {&Input, &Weight, &Output})
    if (!*Each)
      return Each->status();
  if (Kernel.kind == static_cast<int>(Kind::IMPLICIT_GEMM))
    if (Status S = fitsTiles(Kernel, P, {*Input, *Weight, *Output}, With);
        !S.ok())
      return S;
  KernelLaunch Launch;
  const TensorShape &ResultShape =
      Sig.direction == ConvDirection::FORWARD         ? *Output
      : Sig.direction == ConvDirection::BACKWARD_DATA ? *Input
                                                      : *Weight;
  long long Depth = getDepth(Sig, Kernel, *Weight, *Output);
  Result<int> Pieces = ::piecesOf(Kernel, P, Depth);
  if (!Pieces)
    return Pieces.status();
  if (Status S = setSteps(Sig, Kernel, P, ResultShape, Depth, *Pieces, Launch);
      !S.ok())
    return S;
  Launch.Workspace = workspaceBytes(Sig, Kernel, P);
  // A kernel without operands has room for one, which it does not read.
  int Count = std::max(1, auxiliaryCount(Kernel));
  Launch.Arguments.resize(offsetof(device::AllArguments<0>, Auxiliary) +
                          Count * sizeof(device::AuxiliaryArgument));
  device::Arguments &All = getAll(Launch.Arguments);
  setProblem(All, Sig, P, *Output);
  All.Input.Stride = stridesOf(*Input);
  All.Weight.Stride = stridesOf(*Weight);
  All.Output.Stride = stridesOf(*Output);
  All.Pieces = *Pieces;
  if (std::optional<StreamTiles> Tiles = computeSharedTiles(Kernel, Sig, P)) {
    All.Pieces = static_cast<int>(Tiles->Sharers);
    All.Whole = static_cast<int>(Tiles->Whole);
    All.Line = static_cast<int>(Tiles->line());
  }
  for (const LaunchStep &Step : Launch.Steps)
    std::copy(Step.Grid.begin(), Step.Grid.end(),
              Step.Which == KernelStep::Main ? All.Grid : All.StepGrid);
  device::AuxiliaryArgument *Slot = auxiliaryOf(Launch.Arguments);
  for (auto [Its, T] : {std::pair(Role::Input, &Sig.input),
                        std::pair(Role::Weight, &Sig.weight),
                        std::pair(Role::Output, &Sig.output)}) {
    if (Status S = setAuxiliary(Slot, Sig, P, Its, *T); !S.ok())
      return S;
    Launch.AuxiliaryCounts[static_cast<int>(Its) - 1] =
        T->operation->auxiliary_operand_configs.size();
  }
  Launch.setArgs(With);
  return Launch;
}
