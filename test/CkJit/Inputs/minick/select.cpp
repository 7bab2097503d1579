//===- select.cpp - what a dispatcher chooses for random arguments --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls the dispatcher MINICK_API 10,000 times and prints which specialisations
// it called. They are made by check-selection.py, in selected.cpp. Linked with
// the original dispatcher they are found by the linker; a rewritten one asks
// ck_jit_resolve() and ck_jit_resolve_all(), which are here.
//
//===----------------------------------------------------------------------===//
#include "fmha_bwd.h"
#include "fmha_fwd.h"
#include "kpack/CkJit/Runtime.h"

#include <cstring>
#include <iostream>
#include <random>
#include <set>

struct made_function {
  const char *symbol;
  void *address;
};
extern const made_function made_functions[];
extern const unsigned made_count;

static std::set<unsigned> Called;
void record_call(unsigned Id) {
  Called.insert(Id);
  std::cout << " " << Id;
}

extern "C" {
const ck_jit_manifest ck_jit_embedded_manifest = {};
void *ck_jit_resolve(ck_jit_slot *Slot, const ck_jit_failure **) {
  for (unsigned I = 0; I < made_count; ++I)
    if (!std::strcmp(made_functions[I].symbol, Slot->symbol)) {
      Slot->address = made_functions[I].address;
      return made_functions[I].address;
    }
  std::cerr << "no function " << Slot->symbol << "\n";
  std::exit(1);
}
const ck_jit_failure *ck_jit_resolve_all(ck_jit_slot *const *Slots,
                                         size_t Count) {
  for (size_t I = 0; I != Count; ++I)
    ck_jit_resolve(Slots[I], nullptr);
  return nullptr;
}
ck_jit_error_handler ck_jit_get_error_handler(void **) { return nullptr; }
}

static std::mt19937 Random(20241001);
static unsigned below(unsigned Limit) { return Random() % Limit; }
template <typename T> static T one_of(std::initializer_list<T> Values) {
  return Values.begin()[below(Values.size())];
}
static int hdim() {
  return one_of({4, 8, 12, 16, 24, 24, 32, 48, 60, 64, 96, 128, 160});
}
static std::string data_type() {
  return below(50) ? one_of<std::string>({"fp32", "fp16", "bf16"}) : "fp8";
}
static bias_enum bias() { return bias_enum(below(3)); }
static mask_enum mask() { return mask_enum(below(3)); }
static bool flag() { return below(2); }
static int length() { return below(2) ? 16 * below(9) : below(200); }

template <typename Args> static void fill(Args &A, int HDim) {
  std::memset(static_cast<void *>(&A), 0, sizeof(A));
  A.hdim_q = HDim;
  A.hdim_v = below(8) ? HDim : HDim / 2;
}
static fmha_fwd_traits forward_traits(int HDim) {
  return {HDim, HDim, data_type(), flag(), flag(), flag(),
          mask(), bias(), flag()};
}

static float call_fwd(const minick::stream_config &S) {
  fmha_fwd_args A;
  fill(A, hdim());
  A.seqlen_q = length();
  return fmha_fwd(forward_traits(A.hdim_q), A, S);
}
static float call_batch_prefill(const minick::stream_config &S) {
  fmha_batch_prefill_args A;
  fill(A, hdim());
  A.seqlen_q = length();
  return fmha_batch_prefill(forward_traits(A.hdim_q), A, S);
}
static float call_splitkv(const minick::stream_config &S) {
  fmha_fwd_splitkv_args A;
  fill(A, hdim());
  A.seqlen_q = length();
  return fmha_fwd_splitkv(forward_traits(A.hdim_q), A, S);
}
static float call_appendkv(const minick::stream_config &S) {
  fmha_fwd_appendkv_args A;
  fill(A, hdim());
  A.seqlen_knew = length();
  return fmha_fwd_appendkv(
      {A.hdim_q, A.hdim_v, data_type(), flag(), rope_enum(below(3))}, A, S);
}
static float call_bwd(const minick::stream_config &S) {
  fmha_bwd_args A;
  fill(A, hdim());
  A.seqlen_q = length();
  fmha_bwd_traits T = {A.hdim_q, A.hdim_v, data_type(), flag(),
                       mask(),   bias(),   flag()};
#ifdef MINICK_LAUNCHER
  fmha_bwd_launcher Launcher(T);
  if (Launcher.dq_acc_splits)
    Launcher.dq_acc_splits(1);
  return Launcher(A, S);
#else
  return fmha_bwd(T, A, S);
#endif
}

int main() {
  for (unsigned I = 0; I < 10000; ++I) {
    minick::device_name() = one_of<std::string>({"gfx90a", "gfx942:sramecc+"});
    if (!below(50))
      minick::device_name() = "gfx1100";
    minick::stream_config S;
    S.log_level_ = below(8) == 0;
    std::cout << I << ":";
    float Result = MINICK_API(S);
    std::cout << " = " << Result << "\n";
  }
  std::cerr << "called " << Called.size() << " of " << made_count << "\n";
}
