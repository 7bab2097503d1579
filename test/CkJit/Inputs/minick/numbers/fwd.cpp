//===- fwd.cpp - the forward pass against the reference ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// And batch_prefill, whose keys and values are in pages.
//
//===----------------------------------------------------------------------===//
#include "numbers.h"

static void run(const variant &V, const minick::stream_config &S,
                comparison &C) {
  problem P(V, usual_lengths(V), 4, 2);
  fmha_fwd_args A;
  P.fill(A);
  P.fillForward(A);
  C.call(V, [&] { return fmha_fwd(P.traits(V.flag("lse")), A, S); });
  P.compare(C, V.flag("lse"));
}

static api Fwd("fwd", run);
