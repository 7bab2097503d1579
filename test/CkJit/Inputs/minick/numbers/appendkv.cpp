//===- appendkv.cpp - new keys in a cache against the reference ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was in the cache must be there still, bit for bit; so must new values
// be. Keys are rotated in their first dimensions, by angles of their place.
//
//===----------------------------------------------------------------------===//
#include "numbers.h"

static void run(const variant &V, const minick::stream_config &S,
                comparison &C) {
  const number_format &F = format_of(V.word("dtype"));
  const int Pad = V.flag("padd"), Old = 9, New = V.flag("pads") ? 7 : 16;
  const int HDimQ = V.number("hdim") - 3 * Pad;
  const int HDimV = V.number("hdim") - 5 * Pad;
  const std::vector<int> Whole{Old + New, Old + New}, Part{New, New};
  const int Heads = 2, Pairs = HDimQ / 3;
  tensor K(F, order::heads_first, false, Whole, Heads, HDimQ, Pad);
  tensor Val(F, V.flag("vrow") ? order::tokens_first : order::columns, false,
             Whole, Heads, HDimV, Pad);
  tensor KNew(F, order::tokens_first, false, Part, Heads, HDimQ, Pad);
  tensor VNew(F, order::heads_first, false, Part, Heads, HDimV, Pad);
  K.fill();
  Val.fill();
  KNew.fill();
  VNew.fill();
  // Their rows are of all tokens.
  reference::matrix Cos(Old + New, Pairs), Sin(Old + New, Pairs);
  std::vector<float> CosValues, SinValues;
  for (int T = 0; T < Old + New; ++T)
    for (int I = 0; I < Pairs; ++I) {
      const double Angle = T * std::pow(10000, -double(I) / Pairs);
      CosValues.push_back(float(std::cos(Angle)));
      SinValues.push_back(float(std::sin(Angle)));
      Cos(T, I) = CosValues.back();
      Sin(T, I) = SinValues.back();
    }
  array<float> CosArray(CosValues), SinArray(SinValues);

  fmha_fwd_appendkv_args A;
  std::memset(static_cast<void *>(&A), 0, sizeof(A));
  A.k_ptr = K.Device;
  A.v_ptr = Val.Device;
  A.knew_ptr = KNew.Device;
  A.vnew_ptr = VNew.Device;
  A.rotary_cos_ptr = CosArray.device();
  A.rotary_sin_ptr = SinArray.device();
  A.seqlen_k = Old;
  A.seqlen_knew = New;
  A.batch = int(Whole.size());
  A.nhead_k = Heads;
  A.hdim_q = HDimQ;
  A.hdim_v = HDimV;
  A.rotary_dim = 2 * Pairs;
  problem::strides(K, A.stride_k, A.nhead_stride_k, A.batch_stride_k);
  problem::strides(Val, A.stride_v, A.nhead_stride_v, A.batch_stride_v);
  problem::strides(KNew, A.stride_knew, A.nhead_stride_knew,
                   A.batch_stride_knew);
  problem::strides(VNew, A.stride_vnew, A.nhead_stride_vnew,
                   A.batch_stride_vnew);
  const std::string Rope = V.word("rope");
  fmha_fwd_appendkv_traits T{HDimQ, HDimV, V.word("dtype"), V.flag("vrow"),
                             Rope == "inter"  ? rope_enum::interleaved
                             : Rope == "half" ? rope_enum::half_rotated
                                              : rope_enum::none};
  std::vector<reference::matrix> OldK, OldVal;
  for (int B = 0; B < A.batch; ++B)
    for (int H = 0; H < Heads; ++H) {
      OldK.push_back(K.head(B, H));
      OldVal.push_back(Val.head(B, H));
    }
  C.call(V, [&] { return fmha_fwd_appendkv(T, A, S); });
  check(hipDeviceSynchronize(), "kernel");

  C.take(K);
  C.take(Val);
  for (int I = 0; I < A.batch * Heads; ++I) {
    const int B = I / Heads, H = I % Heads;
    for (int Token = 0; Token < Old; ++Token) {
      for (int D = 0; D < HDimQ; ++D)
        C.same(K.get(B, H, Token, D), OldK[I](Token, D));
      for (int D = 0; D < HDimV; ++D)
        C.same(Val.get(B, H, Token, D), OldVal[I](Token, D));
    }
    const reference::matrix NewK = KNew.head(B, H), NewVal = VNew.head(B, H);
    for (int Token = 0; Token < New; ++Token) {
      const std::vector<reference::real> Row = reference::rotated(
          &NewK(Token, 0), HDimQ, Rope == "norope" ? 0 : Pairs, Rope == "inter",
          &Cos(Old + Token, 0), &Sin(Old + Token, 0));
      for (int D = 0; D < HDimQ; ++D)
        C.element(F, K.get(B, H, Old + Token, D), Row[D]);
      for (int D = 0; D < HDimV; ++D)
        C.same(Val.get(B, H, Old + Token, D), NewVal(Token, D));
    }
  }
}

static api AppendKV("appendkv", run);
