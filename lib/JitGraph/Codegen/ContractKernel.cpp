//===- ContractKernel.cpp - kernels of matrix products --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes one matrix product for each index of the batch axes, and the
// operations on each element before it is written. The prelude (KernelText.cpp)
// has the loops; this file has addresses, strides and the last step.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Graph/StridedView.h"
#include "KernelText.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

/// One side: the start of its matrix, and its steps.
struct Side {
  std::string Pointer;
  std::string RowStep, ColumnStep;
  std::string Type;
};

} // namespace

static Side getSide(KernelWriter &W, const KernelRequest &R, uint32_t Node,
                    const KernelWriter::Indices &Batch) {
  std::optional<StridedView> View =
      stridedView(R.Graph, Node, R.Chosen.IsStored);
  assert(View && "fusion stores what has no strides");
  size_t Rank = View->Strides.size();
  Side S;
  S.Pointer = W.buffer(View->Base) + " + " + W.size(View->Offset) + " + " +
              KernelWriter::offset(
                  std::span(View->Strides).first(Rank - 2),
                  KernelWriter::Indices(Batch.begin(), Batch.end() - 2));
  S.RowStep = std::to_string(View->Strides[Rank - 2]);
  S.ColumnStep = std::to_string(View->Strides[Rank - 1]);
  return S;
}

static std::string cpuLoops(const Side &A, const Side &B,
                            const std::string &Type, const std::string &Depth,
                            const std::string &Rows, const std::string &Columns,
                            const std::string &Element) {
  return "kpack_contract<" + Type + ">(" + A.Pointer + ", " + A.RowStep + ", " +
         A.ColumnStep + ", " + B.Pointer + ", " + B.RowStep + ", " + Depth +
         ", tile * " + std::to_string(ContractRows) + ", " + Rows + ", " +
         Columns + ",\n[&](long long i, long long j, " + Type +
         " sum) __attribute__((always_inline)) {\n" + Element + "});\n";
}

static std::string gpuLoops(const Side &A, const Side &B,
                            const std::string &Type, const std::string &Depth,
                            const std::string &Rows, const std::string &Columns,
                            const std::string &Element) {
  return "__shared__ " + Type +
         " left[16][17], right[16][17];\n"
         "int x = threadIdx.x % 16, y = threadIdx.x / 16;\n"
         "long long i = tile / tiles * 16 + y, j = tile % tiles * 16 + x;\n"
         "const auto *a = " +
         A.Pointer + ";\nconst auto *bb = " + B.Pointer + ";\n" + Type +
         " sum = 0;\n"
         "for (long long k = 0; k < " +
         Depth +
         "; k += 16) {\n"
         "left[y][x] = i < " +
         Rows + " && k + x < " + Depth + " ? (" + Type + ")a[i * " + A.RowStep +
         " + (k + x) * " + A.ColumnStep +
         "] : 0;\n"
         "right[y][x] = k + y < " +
         Depth + " && j < " + Columns + " ? (" + Type + ")bb[(k + y) * " +
         B.RowStep + " + j * " + B.ColumnStep +
         "] : 0;\n__syncthreads();\n"
         "for (int q = 0; q < 16; ++q)\nsum += left[y][q] * right[q][x];\n"
         "__syncthreads();\n}\n"
         "if (i < " +
         Rows + " && j < " + Columns + ") {\n" + Element + "}\n";
}

KernelText jit::writeContractKernel(const KernelRequest &R, uint32_t Contract) {
  const OpNode &N = R.Graph.node(R.Root), &C = R.Graph.node(Contract);
  DimContext &Dims = R.Graph.dims();
  bool IsCpu = R.How.Target == GraphTarget::Cpu;
  size_t Rank = N.Shape.size();
  KernelWriter W(R.Graph, R.Chosen, R.How.Target);
  std::string Type = KernelWriter::computeType(C.Type);
  std::string Rows = W.size(C.Shape[Rank - 2]);
  std::string Columns = W.size(C.Shape[Rank - 1]);
  std::string Depth = W.size(R.Graph.node(C.Operands[0]).Shape.back());
  Dim RowTiles = ceilDiv(C.Shape[Rank - 2], IsCpu ? ContractRows : GpuTile);
  Dim ColumnTiles = ceilDiv(C.Shape[Rank - 1], GpuTile);
  Dim Tiles = IsCpu ? RowTiles : RowTiles * ColumnTiles;

  std::vector<size_t> Batch;
  for (size_t I = 0; I + 2 < Rank; ++I)
    if (!N.Shape[I].isConstant() || N.Shape[I].lo() != 1)
      Batch.push_back(I);
  KernelWriter::Indices Position(Rank);
  W.open(); // a tile of rows
  W.line("long long tile = row % " + W.size(Tiles) + ";");
  if (!IsCpu)
    W.line("long long tiles = " + W.size(ColumnTiles) + ";");
  splitRow(W, N.Shape, Batch, "row / " + W.size(Tiles), Position);
  Side A = getSide(W, R, C.Operands[0], Position),
       B = getSide(W, R, C.Operands[1], Position);
  W.open();
  W.open(); // an element
  Position[Rank - 2] = LinearIndex::counter("i", KernelWriter::InElement,
                                            N.Shape[Rank - 2].hi() - 1);
  Position[Rank - 1] = LinearIndex::counter("j", KernelWriter::InElement,
                                            N.Shape[Rank - 1].hi() - 1);
  W.define(Contract, Position, "sum");
  std::string Value = Contract == R.Root ? "sum" : W.computed(R.Root, Position);
  W.line("b0[" + KernelWriter::offset(stridesOf(N.Shape), Position) +
         "] = " + KernelWriter::stored(N.Type, Value) + ";");
  std::string Element = W.close(), Rest = W.close(), Row = W.close();
  Row += Rest + (IsCpu ? cpuLoops : gpuLoops)(A, B, Type, Depth, Rows, Columns,
                                              Element);
  KernelText Kernel;
  Kernel.Rows = Kernel.Blocks = countOf(Dims, N.Shape, Batch) * Tiles;
  Kernel.Block = GpuTile * GpuTile;
  std::string Function = W.close();
  Function +=
      IsCpu ? "for (long long row = first; row < last; ++row) {\n" + Row + "}\n"
            : gpuRow(W, R, Kernel.Blocks) + Row;
  wrapKernel(Kernel, R, W, Function);
  Kernel.Operations = Kernel.Operations == "copy"
                          ? "contract"
                          : "contract, " + Kernel.Operations;
  if (!Kernel.Where.Line)
    Kernel.Where = C.Where;
  return Kernel;
}
