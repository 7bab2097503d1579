//===- RowKernel.cpp - kernels that work row by row -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a CPU the caller selects rows and the elements are a loop that vectorises;
// on a GPU a row is a block, whose threads visit the elements.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Graph/StridedView.h"
#include "KernelText.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

/// The axis of the innermost loop, and the others.
struct RowShape {
  std::optional<size_t> Inner;
  std::vector<size_t> Outer;
};

} // namespace

/// True if an element is only a sum along the last axis, which is contiguous in
/// memory.
static bool isLongReduction(const KernelRequest &R, uint32_t Node) {
  const OpNode &N = R.Graph.node(Node);
  if (isElementwise(N.Kind) && (Node == R.Root || !R.Chosen.IsStored[Node])) {
    for (uint32_t Operand : N.Operands)
      if (isLongReduction(R, Operand))
        return true;
    return false;
  }
  if (!isReduction(N.Kind) || (Node != R.Root && R.Chosen.IsStored[Node]))
    return false;
  const OpNode &Source = R.Graph.node(N.Operands[0]);
  return static_cast<size_t>(N.Numbers[0]) + 1 == N.Shape.size() &&
         Source.Kind != OpKind::Window && Source.Shape.back().hi() >= RowLanes;
}

static RowShape rowShape(const KernelRequest &R) {
  const std::vector<Dim> &Shape = R.Graph.node(R.Root).Shape;
  RowShape Rows;
  bool IsAcross = !R.IsCopy && isLongReduction(R, R.Root);
  for (size_t I = Shape.size(); I-- > 0;) {
    if (Shape[I].isConstant() && Shape[I].lo() == 1)
      continue;
    if (!Rows.Inner && !IsAcross)
      Rows.Inner = I;
    else
      Rows.Outer.insert(Rows.Outer.begin(), I);
  }
  return Rows;
}

static std::string elementLoop(const KernelRequest &R, bool HasTiles,
                               const std::string &Extent,
                               const std::string &Tile,
                               const std::string &Element) {
  if (R.How.Target != GraphTarget::Cpu)
    return Tile + "for (long long j = threadIdx.x; j < " + Extent +
           "; j += blockDim.x) {\n" + Element + "}\n";
  if (!HasTiles)
    return Tile + "for (long long j = 0; j < " + Extent + "; ++j) {\n" +
           Element + "}\n";
  std::string Size = std::to_string(TileSize);
  return "for (long long tile = 0; tile < " + Extent + "; tile += " + Size +
         ") {\nint width = (int)(" + Extent + " - tile < " + Size + " ? " +
         Extent + " - tile : " + Size + ");\n" + Tile +
         "for (int l = 0; l < width; ++l) {\nlong long j = tile + l;\n" +
         Element + "}\n}\n";
}

/// Returns nothing if no value needs a tile, and the text cannot be written as
/// if one did.
static std::optional<KernelText> write(const KernelRequest &R, bool HasTiles) {
  const OpNode &N = R.Graph.node(R.Root);
  DimContext &Dims = R.Graph.dims();
  RowShape Shape = rowShape(R);
  KernelWriter W(R.Graph, R.Chosen, R.How.Target, HasTiles);
  KernelWriter::Indices Position(N.Shape.size());
  W.open(); // a row
  splitRow(W, N.Shape, Shape.Outer, "row", Position);
  W.open(); // a tile
  W.open(); // an element
  if (Shape.Inner)
    Position[*Shape.Inner] = LinearIndex::counter(
        "j", KernelWriter::InElement, N.Shape[*Shape.Inner].hi() - 1);
  std::string Value =
      R.IsCopy ? W.value(R.Root, Position) : W.computed(R.Root, Position);
  W.line("b0[" + KernelWriter::offset(stridesOf(N.Shape), Position) +
         "] = " + KernelWriter::stored(N.Type, Value) + ";");
  std::string Extent = Shape.Inner ? W.size(N.Shape[*Shape.Inner]) : "1";

  std::string Element = W.close(), Tile = W.close(), Row = W.close();
  if (W.usesTiles() && Tile.empty())
    return std::nullopt;
  Row += elementLoop(R, W.usesTiles(), Extent, Tile, Element);
  std::string Function = W.close();
  KernelText Kernel;
  Kernel.Rows = Kernel.Blocks = countOf(Dims, N.Shape, Shape.Outer);
  int64_t Threads =
      Shape.Inner ? std::min<int64_t>(N.Shape[*Shape.Inner].hi(), 256) : 1;
  Kernel.Block = 64;
  while (Kernel.Block < Threads)
    Kernel.Block *= 2;
  Function +=
      R.How.Target == GraphTarget::Cpu
          ? "for (long long row = first; row < last; ++row) {\n" + Row + "}\n"
          : gpuRow(W, R, Kernel.Blocks) + Row;
  wrapKernel(Kernel, R, W, Function);
  return Kernel;
}

KernelText jit::writeRowKernel(const KernelRequest &R) {
  if (R.How.Target == GraphTarget::Cpu)
    if (std::optional<KernelText> Kernel = write(R, true))
      return *Kernel;
  return *write(R, false);
}
