//===- bwd.cpp - gradients against the reference -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of the forward pass come from the reference, rounded as a kernel
// would store them, and are given to both.
//
//===----------------------------------------------------------------------===//
#include "numbers.h"

#include "../fmha_bwd.h"

static lengths short_lengths(const variant &V) {
  if (V.flag("group"))
    return V.flag("pads") ? lengths{{5, 17, 1}, {9, 20, 3}}
                          : lengths{{16, 32}, {20, 16}};
  return V.flag("pads") ? lengths{{19, 19}, {21, 21}}
                        : lengths{{16, 16}, {20, 20}};
}

static float dispatch(const fmha_bwd_traits &T, const fmha_bwd_args &A,
                      const minick::stream_config &S) {
#ifdef MINICK_LAUNCHER
  fmha_bwd_launcher Launcher(T);
  if (!Launcher.run || Launcher.needs_zero_dq_acc ||
      Launcher.dq_acc_splits(A.seqlen_k) != 1)
    return -2;
  return Launcher(A, S);
#else
  return fmha_bwd(T, A, S);
#endif
}

/// Whether a kernel has written there, which had only the pattern.
static const char *state(memory &M) {
  check(hipDeviceSynchronize(), "kernel");
  M.download();
  for (unsigned char Byte : M.Host)
    if (Byte != 0xff)
      return "written";
  return "untouched";
}

static void run(const variant &V, const minick::stream_config &S,
                comparison &C) {
  const lengths L = short_lengths(V);
  problem P(V, L, 2, 1);
  const number_format &F = P.Format;
  const int Heads = P.Q.Heads;
  tensor DO(F, order::heads_first, P.Grouped, L.Query, Heads, P.HDimV,
            2 * P.Pad);
  DO.fill();
  for (int B = 0; B < int(L.Query.size()); ++B)
    for (int H = 0; H < Heads; ++H) {
      reference::forward Out =
          attention(P.rules(H), P.Q.head(B, H), P.K.head(B, P.keyHead(H)),
                    P.Val.head(B, P.keyHead(H)));
      for (int T = 0; T < L.Query[B]; ++T) {
        for (int D = 0; D < P.HDimV; ++D)
          P.O.set(B, H, T, D, Out.Out(T, D).Value);
        const float Lse = float(Out.Lse[T].Value);
        std::memcpy(&P.Lse.Host[P.lseIndex(B, H, T) * sizeof(float)], &Lse,
                    sizeof(float));
      }
    }
  P.O.upload();
  P.Lse.upload();
  // dQ as Q. A head of dK and dV for each of the queries'.
  tensor DQ(F, order::tokens_first, P.Grouped, L.Query, Heads, P.HDimQ, P.Pad);
  tensor DK(F, order::tokens_first, P.Grouped, L.Key, Heads, P.HDimQ, P.Pad);
  tensor DV(F, order::heads_first, P.Grouped, L.Key, Heads, P.HDimV, P.Pad);
  DQ.upload();
  DK.upload();
  DV.upload();
  array<float> RowSums(P.Lse.Host.size() / sizeof(float));
  array<float> Sums(DQ.Host.size() / F.Bytes);

  fmha_bwd_args A;
  P.fill(A);
  A.scale = P.Scale;
  A.o_ptr = P.O.Device;
  A.lse_ptr = P.Lse.device();
  A.do_ptr = DO.Device;
  A.d_ptr = RowSums.device();
  A.dq_ptr = DQ.Device;
  A.dk_ptr = DK.Device;
  A.dv_ptr = DV.Device;
  A.dq_acc_ptr = Sums.device();
  A.max_seqlen_k = P.MaxKey;
  P.strides(DK, A.stride_dk, A.nhead_stride_dk, A.batch_stride_dk);
  P.strides(DV, A.stride_dv, A.nhead_stride_dv, A.batch_stride_dv);
  const fmha_bwd_traits T{P.HDimQ,  P.HDimV,  V.word("dtype"),        P.Grouped,
                          V.mask(), V.bias(), V.flag("deterministic")};
  try {
    C.call(V, [&] { return dispatch(T, A, S); });
  } catch (...) {
    std::printf("row sums %s, dq %s, dk %s, dv %s\n", state(RowSums), state(DQ),
                state(DK), state(DV));
    throw;
  }
  check(hipDeviceSynchronize(), "kernel");

  for (tensor *T : {&DQ, &DK, &DV})
    C.take(*T);
  for (int B = 0; B < int(L.Query.size()); ++B)
    for (int H = 0; H < Heads; ++H) {
      std::vector<double> Lse;
      for (int T = 0; T < L.Query[B]; ++T)
        Lse.push_back(P.Lse[P.lseIndex(B, H, T)]);
      reference::gradients G = backward(
          P.rules(H), P.Q.head(B, H), P.K.head(B, P.keyHead(H)),
          P.Val.head(B, P.keyHead(H)), P.O.head(B, H), Lse, DO.head(B, H));
      C.head(DQ, B, H, G.Q);
      C.head(DK, B, H, G.K);
      C.head(DV, B, H, G.V);
    }
}

static api Bwd("bwd", run);
