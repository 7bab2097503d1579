//===- OpGraph.cpp - nodes of a graph of operations -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are found by a hash of everything that defines them, which excludes
// their source location.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/OpGraph.h"
#include "JitGraph/Sizes/DimText.h"
#include "kpack/JitGraph/GraphPlan.h"

#include <algorithm>
#include <bit>

using namespace kpack;
using namespace kpack::jit;

static size_t mix(size_t Hash, size_t Value) {
  return (std::rotl(Hash, 23) ^ Value) * size_t{0x9e3779b97f4a7c15};
}

static size_t mix(size_t Hash, std::span<const Dim> Dims) {
  for (Dim D : Dims)
    Hash = mix(Hash, reinterpret_cast<size_t>(D.node()));
  return mix(Hash, Dims.size());
}

static size_t hashOf(const OpNode &N) {
  size_t Hash = mix(static_cast<size_t>(N.Kind), static_cast<size_t>(N.Type));
  Hash = mix(mix(Hash, N.Shape), N.Dims);
  for (uint32_t Operand : N.Operands)
    Hash = mix(Hash, Operand);
  for (int64_t Value : N.Numbers)
    Hash = mix(Hash, static_cast<size_t>(Value));
  return mix(Hash, std::bit_cast<uint64_t>(N.Value));
}

static bool isSame(const OpNode &A, const OpNode &B) {
  return A.Kind == B.Kind && A.Type == B.Type && A.Shape == B.Shape &&
         A.Operands == B.Operands && A.Dims == B.Dims &&
         A.Numbers == B.Numbers &&
         std::bit_cast<uint64_t>(A.Value) == std::bit_cast<uint64_t>(B.Value);
}

uint32_t OpGraph::add(OpNode N) {
  size_t Hash = hashOf(N);
  auto [Begin, End] = ByHash.equal_range(Hash);
  for (auto I = Begin; I != End; ++I)
    if (isSame(Nodes[I->second], N))
      return I->second;
  auto Id = static_cast<uint32_t>(Nodes.size());
  Nodes.push_back(std::move(N));
  ByHash.emplace(Hash, Id);
  return Id;
}

uint32_t OpGraph::addInput(OpInput I) {
  auto Which = static_cast<int64_t>(Inputs.size());
  Inputs.push_back(std::move(I));
  return add({.Kind = OpKind::Input,
              .Type = Inputs.back().Type,
              .Shape = Inputs.back().Shape,
              .Numbers = {Which}});
}

uint32_t OpGraph::addConstant(OpConstant C) {
  int64_t Which = 0;
  for (const OpConstant &Other : Constants) {
    if (Other.Type == C.Type && Other.Shape == C.Shape &&
        Other.Bytes == C.Bytes)
      break;
    ++Which;
  }
  std::vector<Dim> Shape;
  for (int64_t Extent : C.Shape)
    Shape.push_back(Sizes->constant(Extent));
  OpNode N{.Kind = OpKind::Constant,
           .Type = C.Type,
           .Shape = std::move(Shape),
           .Numbers = {Which},
           .Where = C.Where};
  if (Which == static_cast<int64_t>(Constants.size()))
    Constants.push_back(std::move(C));
  return add(std::move(N));
}

uint32_t OpGraph::addCustom(OpCustom C) {
  auto Found = std::find(Customs.begin(), Customs.end(), C);
  if (Found == Customs.end())
    Found = Customs.insert(Customs.end(), std::move(C));
  return static_cast<uint32_t>(Found - Customs.begin());
}

uint32_t OpGraph::refuse(Status Why) {
  if (FirstError.ok())
    FirstError = std::move(Why);
  return None;
}

bool OpGraph::areEqual(Dim A, Dim B) const {
  if (Sizes->provablyEqual(A, B))
    return true;
  // The sizes that guards equate with A, directly or through others.
  std::vector<Dim> Equal = {A};
  std::vector<bool> Used(Guards.size());
  for (size_t I = 0; I < Equal.size(); ++I)
    for (size_t G = 0; G < Guards.size(); ++G) {
      bool IsFirst = Sizes->provablyEqual(Guards[G].A, Equal[I]);
      if (Used[G] || (!IsFirst && !Sizes->provablyEqual(Guards[G].B, Equal[I])))
        continue;
      Used[G] = true;
      Equal.push_back(IsFirst ? Guards[G].B : Guards[G].A);
      if (Sizes->provablyEqual(Equal.back(), B))
        return true;
    }
  return false;
}

static std::string shapeText(std::span<const Dim> Shape) {
  std::string Text;
  for (Dim D : Shape)
    Text += (Text.empty() ? "" : ", ") + toText(D);
  return "[" + Text + "]";
}

static std::string textOf(const OpCustom &C) {
  std::string Text;
  for (const OpCustom::Argument &A : C.Arguments) {
    using Kind = OpCustom::Argument::Kind;
    constexpr const char *Titles[] = {"result ", "operand ", "size ", ""};
    Text += (Text.empty() ? "" : ", ") +
            std::string(Titles[static_cast<size_t>(A.What)]) +
            (A.What == Kind::Number ? A.Literal : std::to_string(A.Which));
  }
  std::string Block;
  for (uint32_t Extent : C.Block)
    Block += (Block.empty() ? "" : ", ") + std::to_string(Extent);
  return C.Entry + "(" + Text + ") by [" + Block + "]";
}

static std::string textOf(const OpNode &N) {
  std::string Text = std::string(nameOf(N.Kind)) + " " +
                     std::string(nameOf(N.Type)) + shapeText(N.Shape);
  for (uint32_t Operand : N.Operands)
    Text += " %" + std::to_string(Operand);
  if (!N.Dims.empty())
    Text += " at " + shapeText(N.Dims);
  for (int64_t Value : N.Numbers)
    Text += " " + std::to_string(Value);
  if (N.Kind == OpKind::Full || N.Kind == OpKind::Pad) {
    char Value[40];
    std::snprintf(Value, sizeof(Value), " value %.9g", N.Value);
    Text += Value;
  }
  return Text;
}

std::string OpGraph::text() const {
  std::string Text;
  for (size_t I = 0; I < Nodes.size(); ++I)
    Text += "%" + std::to_string(I) + " = " + textOf(Nodes[I]) + "\n";
  for (size_t I = 0; I < Customs.size(); ++I)
    Text += "custom " + std::to_string(I) + ": " + textOf(Customs[I]) + "\n";
  for (const OpGuard &Guard : Guards)
    Text += "guard " + toText(Guard.A) + " == " + toText(Guard.B) + "\n";
  for (const OpOutput &Output : Outputs)
    Text += Output.Name + " = %" + std::to_string(Output.Node) + "\n";
  return Text;
}
