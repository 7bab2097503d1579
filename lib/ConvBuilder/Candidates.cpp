//===- Candidates.cpp - algorithms of a problem ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A closed space is walked; each point is completed as resolve() does, judged,
// lowered and estimated.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Candidates.h"

#include "kpack/ConvBuilder/Hash.h"
#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"

#include <algorithm>
#include <unordered_set>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// One walk over the space.
class Walk {
public:
  Walk(const Signature &Sig, const Problem &Sizes, std::string_view Name,
       const Constraints &Within, std::vector<Refusal> *Refused)
      : Sig(Sig), Sizes(Sizes), For(Name), Gpu(findProcessor(For)),
        Within(Within), Refused(Refused) {
    Want.WorkspaceLimit = Within.workspace_limit;
    Want.Deterministic = Within.deterministic;
  }

  std::vector<Candidate> run() {
    Algorithm Nothing;
    Conditions Asked = Want;
    Asked.Parts = Absent::IsOpen; // none is there yet
    Report Why = detail::validate(Sig, Sig, Nothing, For, Sizes, Asked);
    if (!Why.ok()) {
      refuse(Nothing, Why);
      return {};
    }
    if (!Gpu) {
      refuse(Nothing, "algorithm.isa: no processor is named; give one");
      return {};
    }
    for (Kind Of : {Kind::REFERENCE, Kind::DIRECT, Kind::IMPLICIT_GEMM})
      for (Isa In : {Isa::VALU, Isa::DOT, Isa::WMMA, Isa::MFMA})
        if (Of == Kind::IMPLICIT_GEMM || In == Isa::VALU) {
          Algorithm Partial;
          Partial.kind = Of;
          Partial.isa = In;
          offer(Partial);
        }
    return inOrder();
  }

private:
  /// Algorithms are large: numbers are sorted for them.
  std::vector<Candidate> inOrder() const {
    std::vector<std::pair<double, size_t>> Order;
    for (const Candidate &One : Found)
      Order.push_back({One.estimate.total, Order.size()});
    std::sort(Order.begin(), Order.end());
    std::vector<Candidate> Sorted;
    Sorted.reserve(Order.size());
    for (auto [Total, Number] : Order)
      Sorted.push_back(Found[Number]);
    return Sorted;
  }

  void offer(const Algorithm &Partial) {
    if ((Within.kind && *Within.kind != Partial.kind) ||
        (Within.isa && *Within.isa != Partial.isa) ||
        (Partial.kind == Kind::REFERENCE && !Within.allow_reference))
      return;
    Algorithm How = Partial;
    Conditions Asked = Want;
    if (!detail::Completion(Sig, How, *Gpu, Sizes).run())
      Asked.Parts = Absent::IsOpen;
    Report Why = detail::validate(Sig, Sig, How, For, Sizes, Asked);
    if (!Why.ok())
      return refuse(How, Why);
    Result<Lowered> Made = lower(Sig, How, For.Name);
    if (!Made)
      return refuse(How, Made.status().message());
    if (!Kernels.insert(hashOf(*Made)).second)
      return;
    Found.push_back({How, estimate(Sig, How, Sizes, *Gpu), 0});
  }

  void refuse(const Algorithm &How, const Report &Why) {
    if (!Refused)
      return;
    Finding First = Why[0];
    Refused->push_back({How, std::string(First.Id), std::string(First.Path),
                        std::string(First.Fact), std::string(First.Remedy)});
  }
  /// By lower(): "path: fact; remedy".
  void refuse(const Algorithm &How, const std::string &Message) {
    if (!Refused)
      return;
    size_t Colon = std::min(Message.find(": "), Message.size());
    std::string Rest = Colon < Message.size() ? Message.substr(Colon + 2) : "";
    size_t Semicolon = std::min(Rest.find("; "), Rest.size());
    Refused->push_back(
        {How, "A16", Message.substr(0, Colon), Rest.substr(0, Semicolon),
         Semicolon < Rest.size() ? Rest.substr(Semicolon + 2) : ""});
  }

  const Signature &Sig;
  const Problem &Sizes;
  Target For;
  const Processor *Gpu;
  const Constraints &Within;
  std::vector<Refusal> *Refused;
  Conditions Want;
  std::vector<Candidate> Found;
  std::unordered_set<std::uint64_t> Kernels; ///< hashes of what was lowered
};

} // namespace

std::string Refusal::text() const {
  return "[" + id + "] " + path + ": " + fact +
         (remedy.empty() ? "" : "; " + remedy);
}

std::vector<Candidate> conv::candidates(const Signature &Resolved,
                                        const Problem &Sizes,
                                        std::string_view Processor,
                                        const Constraints &Within,
                                        std::vector<Refusal> *Refused) {
  return Walk(Resolved, Sizes, Processor, Within, Refused).run();
}
