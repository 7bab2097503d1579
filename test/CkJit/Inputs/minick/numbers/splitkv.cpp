//===- splitkv.cpp - keys in parts against the reference -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both combining kernels of a variant: with and without the logarithms. Of the
// three parts the last is smaller, and empty for short sequences.
//
//===----------------------------------------------------------------------===//
#include "numbers.h"

static void run(const variant &V, const minick::stream_config &S,
                comparison &C) {
  for (bool WithLse : {false, true}) {
    problem P(V, usual_lengths(V), 4, 2);
    const int Splits = 3;
    array<float> LseAcc(Splits * P.Q.Lengths.size() * P.Q.Heads * P.MaxQuery);
    array<float> OAcc(LseAcc.Host.size() / sizeof(float) * P.HDimV);
    fmha_fwd_splitkv_args A;
    P.fill(A);
    P.fillForward(A);
    A.num_splits = Splits;
    A.lse_acc_ptr = LseAcc.device();
    A.o_acc_ptr = OAcc.device();
    C.call(V, [&] { return fmha_fwd_splitkv(P.traits(WithLse), A, S); });
    P.compare(C, WithLse);
  }
}

static api SplitKV("splitkv", run);
