//===- batch_prefill.cpp - keys in pages against the reference -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The keys and values of a problem are taken apart into pages of 16 tokens,
// which lie in another order, with pages between them that nobody has.
//
//===----------------------------------------------------------------------===//
#include "numbers.h"

constexpr int PageSize = 16;

/// \p From's tokens, at the places that \p Pages gives them.
static tensor paged(const tensor &From, order O, int PageCount,
                    const std::vector<std::vector<int>> &Pages) {
  tensor To(From.Format, O, true, {PageCount * PageSize}, From.Heads,
            From.Dims);
  for (size_t B = 0; B < Pages.size(); ++B)
    for (int H = 0; H < From.Heads; ++H)
      for (int T = 0; T < From.Lengths[B]; ++T)
        for (int D = 0; D < From.Dims; ++D)
          To.set(0, H, Pages[B][T / PageSize] * PageSize + T % PageSize, D,
                 From.get(int(B), H, T, D));
  To.upload();
  return To;
}

static void run(const variant &V, const minick::stream_config &S,
                comparison &C) {
  variant Group = V; // all its variants are in group mode
  Group.Words["group"] = "1";
  problem P(Group, usual_lengths(Group), 4, 2);
  std::vector<std::vector<int>> Pages;
  std::vector<int> Starts{0}, Indices;
  int Count = 0;
  for (int Length : P.K.Lengths)
    Count += 2 * ((Length + PageSize - 1) / PageSize);
  for (int Length : P.K.Lengths) {
    Pages.emplace_back();
    for (int T = 0; T < Length; T += PageSize) {
      Pages.back().push_back(Count - 1 - 2 * int(Indices.size()));
      Indices.push_back(Pages.back().back());
    }
    Starts.push_back(int(Indices.size()));
  }
  tensor K = paged(P.K, order::tokens_first, Count, Pages);
  tensor Val =
      paged(P.Val, V.flag("vrow") ? order::heads_first : order::columns, Count,
            Pages);
  array<int> Indptr(Starts), PageIndices(Indices);

  fmha_batch_prefill_args A;
  P.fill(A);
  P.fillForward(A);
  P.strides(K, A.stride_k, A.nhead_stride_k, A.batch_stride_k);
  P.strides(Val, A.stride_v, A.nhead_stride_v, A.batch_stride_v);
  A.k_ptr = K.Device;
  A.v_ptr = Val.Device;
  A.kv_indptr = Indptr.device();
  A.kv_page_indices = PageIndices.device();
  A.page_block_size = PageSize;
  C.call(V, [&] { return fmha_batch_prefill(P.traits(V.flag("lse")), A, S); });
  P.compare(C, V.flag("lse"));
}

static api BatchPrefill("batch_prefill", run);
