//===- InPlace.cpp - kernels that overwrite an operand --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "InPlace.h"

#include <algorithm>
#include <map>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Reads of one kernel.
struct KernelReads {
  /// Stored nodes; true if each is only read at the result's index.
  std::map<uint32_t, bool> IsInStep;
  /// All computations are element-wise.
  bool IsElementwise = true;
};

} // namespace

static KernelReads computeReads(const OpGraph &G, const Fusion &Chosen,
                                uint32_t Root) {
  KernelReads Reads;
  // Computed nodes; true if at the indices of the result only. Users come
  // first, so that a node's entry is complete when it is taken.
  std::map<uint32_t, bool, std::greater<>> Computed{{Root, true}};
  for (auto It = Computed.begin(); It != Computed.end(); ++It) {
    const OpNode &N = G.node(It->first);
    bool IsInStep = It->second && isElementwise(N.Kind);
    Reads.IsElementwise &= isElementwise(N.Kind) || isView(N.Kind) ||
                           N.Kind == OpKind::Full || N.Kind == OpKind::Iota;
    for (uint32_t Operand : N.Operands) {
      auto Add = [&](auto &Reads) {
        auto [Place, IsNew] = Reads.try_emplace(Operand, IsInStep);
        Place->second &= IsInStep;
      };
      if (Chosen.IsStored[Operand])
        Add(Reads.IsInStep);
      else
        Add(Computed);
    }
  }
  return Reads;
}

std::vector<uint32_t> jit::findInPlace(const OpGraph &G, const Fusion &Chosen,
                                       const std::vector<bool> &IsPooled) {
  std::vector<uint32_t> LastReader(G.size(), OpGraph::None);
  std::map<uint32_t, KernelReads> Kernels;
  for (uint32_t Id = 0; Id < G.size(); ++Id) {
    if (!Chosen.IsLive[Id] || !Chosen.IsStored[Id] || isSource(G.node(Id).Kind))
      continue;
    const KernelReads &Reads =
        Kernels.emplace(Id, computeReads(G, Chosen, Id)).first->second;
    for (const auto &[Node, IsInStep] : Reads.IsInStep)
      LastReader[Node] = Id;
  }

  std::vector<uint32_t> Replaced(G.size(), OpGraph::None);
  for (const auto &[Id, Reads] : Kernels) {
    // A contraction computes some elements twice.
    if (!IsPooled[Id] || !Reads.IsElementwise ||
        Chosen.ContractOf[Id] != OpGraph::None)
      continue;
    auto Fits = [&, Root = Id](const auto &Read) {
      return Read.second && IsPooled[Read.first] &&
             LastReader[Read.first] == Root &&
             G.node(Read.first).Type == G.node(Root).Type;
    };
    auto Found =
        std::find_if(Reads.IsInStep.begin(), Reads.IsInStep.end(), Fits);
    if (Found != Reads.IsInStep.end())
      Replaced[Id] = Found->first;
  }
  return Replaced;
}
