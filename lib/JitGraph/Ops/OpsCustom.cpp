//===- OpsCustom.cpp - calls of user kernels ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call is a node for each result, consecutive, with the same operands and
// sizes. This file checks what needs no compiler; the kernel's compiler checks
// whether the arguments fit (CustomText.cpp).
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/CustomKernel.h"

#include "JitGraph/Codegen/CustomText.h"
#include "JitGraph/Graph/StridedView.h"
#include "OpWriter.h"

#include "JitGraph/Sizes/DimText.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdio>

using namespace kpack;
using namespace kpack::jit;

/// Limits of all GPUs.
static constexpr uint64_t MostThreads = 1024;
static constexpr int64_t MostBlocks = INT32_MAX;

static std::string toLiteral(bool Value) { return Value ? "true" : "false"; }
static std::string toLiteral(int64_t Value) {
  // The minimum has no literal.
  return Value < 0 ? "-" + std::to_string(-(Value + 1)) + "ll - 1"
                   : std::to_string(Value) + "ll";
}
static std::string toLiteral(uint64_t Value) {
  return std::to_string(Value) + "ull";
}
static std::string toLiteral(double Value, bool IsFloat) {
  char Text[80];
  if (std::isfinite(Value))
    std::snprintf(Text, sizeof(Text), "%a%s", Value, IsFloat ? "f" : "");
  else if (IsFloat)
    std::snprintf(Text, sizeof(Text),
                  "__builtin_bit_cast(float, 0x%" PRIx32 "u)",
                  std::bit_cast<uint32_t>(static_cast<float>(Value)));
  else
    std::snprintf(Text, sizeof(Text),
                  "__builtin_bit_cast(double, 0x%" PRIx64 "ull)",
                  std::bit_cast<uint64_t>(Value));
  return Text;
}
static std::string toLiteral(double Value) { return toLiteral(Value, false); }
static std::string toLiteral(float Value) {
  return toLiteral(static_cast<double>(Value), true);
}

namespace {

/// Parses one call.
class Call {
public:
  Call(const Source &Text, const Grid &Launch,
       std::span<const KernelArgument> Arguments,
       std::span<const TensorRef> Tensors)
      : Name("kernel '" + Text.entry + "'"), W(Name, Launch.Where, Tensors) {
    C.Entry = Text.entry;
    C.Name = Text.display_name;
    C.Text = Text.text;
    C.Headers = Text.headers;
    C.Block = Launch.Block.Extents;
    C.Reference = Launch.Reference;
    checkSource();
    checkGrid(Launch);
    for (const KernelArgument &Argument : Arguments)
      std::visit([this](const auto &Value) { add(Value); }, Argument);
  }

  std::vector<TensorRef> finish(std::span<const AnyResult> Results) {
    std::vector<TensorRef> Tensors;
    uint32_t Which = W ? W.graph().addCustom(C) : 0;
    for (size_t I = 0; I < Results.size(); ++I) {
      if (!W) {
        Tensors.push_back(W.none(Results[I].Type));
        continue;
      }
      Tensors.push_back(W.node({.Kind = OpKind::Custom,
                                .Type = Results[I].Type,
                                .Shape = C.Results[I].Shape,
                                .Operands = Operands,
                                .Dims = Dims,
                                .Numbers = {Which, static_cast<int64_t>(I)}}));
    }
    return Tensors;
  }

private:
  using Argument = OpCustom::Argument;

  void checkSource() {
    bool IsOneLine =
        C.Entry.find_first_not_of(" \t") != std::string::npos &&
        std::none_of(C.Entry.begin(), C.Entry.end(),
                     [](unsigned char Char) { return Char < ' '; });
    if (!IsOneLine)
      W.refuse("its entry is no expression of one line",
               "name a __global__ function of the text");
    if (C.Name.empty())
      C.Name = wordOfEntry(C.Entry) + ".hip";
  }

  void checkGrid(const Grid &Launch) {
    uint64_t Block = 1;
    for (uint32_t Extent : C.Block)
      Block = std::min<uint64_t>(Block * Extent, MostThreads + 1);
    if (Block == 0 || Block > MostThreads)
      W.refuse("a block has none or more than " + std::to_string(MostThreads) +
                   " threads",
               "give it from 1 to " + std::to_string(MostThreads));
    size_t Ways = Launch.Blocks.rank();
    if (Ways < 1 || Ways > 3)
      W.refuse("its grid has " + std::to_string(Ways) + " extents",
               "give it one to three");
    if (!W || !W.toExtents(Launch.Blocks, Dims))
      return;
    for (Dim D : Dims)
      if (D.hi() > MostBlocks)
        W.refuse("a grid of '" + toText(D) + "' may have " +
                     std::to_string(D.hi()) + " blocks",
                 "narrow the variables' bounds");
    Dims.resize(3, W.number(1));
    W.isValid(Dims[0] * Dims[1] * Dims[2]);
  }

  void add(const TensorRef &X) {
    C.Arguments.push_back(
        {Argument::Kind::Operand, static_cast<uint32_t>(Operands.size())});
    Operands.push_back(X.id());
  }
  void add(const AnyResult &R) {
    C.Arguments.push_back(
        {Argument::Kind::Result, static_cast<uint32_t>(C.Results.size())});
    C.Results.push_back({R.Type, {}});
    if (W)
      W.toExtents(R.Shape, C.Results.back().Shape);
  }
  void add(Dim D) {
    if (!W.isValid(D))
      return;
    // Sizes of the grid come first.
    C.Arguments.push_back(
        {Argument::Kind::Size, static_cast<uint32_t>(Dims.size() - 3)});
    Dims.push_back(D);
  }
  void add(const KernelNumber &Constant) {
    C.Arguments.push_back(
        {Argument::Kind::Number, 0,
         std::visit([](auto Value) { return toLiteral(Value); }, Constant)});
  }

  std::string Name; ///< of the operation
  OpWriter W;
  OpCustom C;
  std::vector<uint32_t> Operands;
  std::vector<Dim> Dims;
};

} // namespace

std::vector<TensorRef> any::kernel(const Source &Text, const Grid &Launch,
                                   std::span<const KernelArgument> Arguments) {
  std::vector<TensorRef> Tensors;
  std::vector<AnyResult> Results;
  for (const KernelArgument &Argument : Arguments) {
    if (const auto *X = std::get_if<TensorRef>(&Argument))
      Tensors.push_back(*X);
    if (const auto *R = std::get_if<AnyResult>(&Argument))
      Results.push_back(*R);
  }
  return Call(Text, Launch, Arguments, Tensors).finish(Results);
}

int64_t AnyResult::stride(int64_t Axis) const {
  auto Rank = static_cast<int64_t>(Shape.rank());
  Axis += Axis < 0 ? Rank : 0;
  if (Axis < 0 || Axis >= Rank)
    return 0;
  int64_t Elements = 1;
  for (auto I = static_cast<size_t>(Axis) + 1; I < Shape.rank(); ++I)
    if (__builtin_mul_overflow(Elements, std::max<int64_t>(Shape[I].most(), 1),
                               &Elements))
      return 0;
  return Elements;
}

int64_t jit::stride(const TensorRef &X, int64_t Axis) {
  OpWriter W("stride", OpLocation(), {X});
  return W.hasAxis(X, Axis) ? stridesOf(W.shape(X))[static_cast<size_t>(Axis)]
                            : 0;
}
