//===- numbers.h - one comparison of kernels and reference ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variant as generate.py --list writes it, the tensors of an attention
// problem that fits it, and the comparison. Each API has a file that makes its
// arguments; numbers.cpp is the program.
//
//===----------------------------------------------------------------------===//
#ifndef MINICK_NUMBERS_NUMBERS_H
#define MINICK_NUMBERS_NUMBERS_H

#include "../fmha_fwd.h"
#include "tensor.h"

#include <chrono>
#include <map>

struct variant {
  std::string Line, Api;
  std::map<std::string, std::string> Words;
  bool has(const char *Name) const { return Words.count(Name) != 0; }
  std::string word(const char *Name) const {
    auto Found = Words.find(Name);
    return Found == Words.end() ? "" : Found->second;
  }
  bool flag(const char *Name) const { return word(Name) == "1"; }
  int number(const char *Name) const { return std::atoi(word(Name).c_str()); }
  mask_enum mask() const {
    return word("mask") == "causal"   ? mask_enum::mask_top_left
           : word("mask") == "window" ? mask_enum::window_generic
                                      : mask_enum::no_mask;
  }
  bias_enum bias() const {
    return word("bias") == "bias"    ? bias_enum::elementwise_bias
           : word("bias") == "alibi" ? bias_enum::alibi
                                     : bias_enum::no_bias;
  }
};

/// What comes of comparing: the largest error, and the largest part of what is
/// allowed that an error takes. Above 1 the result is wrong.
///
/// Allowed is the rounding to the data type, and of what single precision adds
/// up 32 roundings: sums of up to 256 numbers have errors of about 16, the
/// square root, and some operations stand around them.
class comparison {
public:
  void element(const number_format &F, double Got, reference::real Wanted) {
    ++Elements;
    if (Got == Wanted.Value)
      return;
    const double Error = std::fabs(Got - Wanted.Value);
    const double Allowed = F.Rounding * std::fabs(Wanted.Value) +
                           32 * 0x1p-24 * Wanted.Size + 0x1p-25 * (F.Bytes < 4);
    MaxError = std::max(MaxError, Error < 1e30 ? Error : 1e30);
    Part = std::max(Part, Error <= Allowed * 1e30 ? Error / Allowed : 1e30);
  }
  /// Of what is copied.
  void same(double Got, double Wanted) {
    ++Elements;
    if (Got != Wanted)
      Part = MaxError = 1e30;
  }
  void head(const tensor &Got, int B, int H, const reference::results &Wanted) {
    for (int T = 0; T < Wanted.Rows; ++T)
      for (int D = 0; D < Wanted.Columns; ++D)
        element(Got.Format, Got.get(B, H, T, D), Wanted(T, D));
  }
  /// Takes \p T from the GPU, looks for stray writes, keeps the bytes.
  void take(tensor &T) {
    take(static_cast<memory &>(T));
    Strayed += T.strayed();
  }
  void take(memory &M) {
    M.download();
    Bytes.insert(Bytes.end(), M.Host.begin(), M.Host.end());
  }
  /// Calls a dispatcher; the time is that of a compile, where there is one.
  template <typename Function> void call(const variant &V, Function Dispatch) {
    const auto Start = std::chrono::steady_clock::now();
    const float Result = Dispatch();
    const std::chrono::duration<double> Took =
        std::chrono::steady_clock::now() - Start;
    Seconds += Took.count();
    if (Result == 0)
      return;
    std::printf("%s: the dispatcher returned %g\n", V.Line.c_str(), Result);
    std::exit(2);
  }
  bool good() const { return Part <= 1 && Strayed == 0 && Elements != 0; }

  size_t Elements = 0, Strayed = 0;
  double MaxError = 0, Part = 0, Seconds = 0;
  std::vector<unsigned char> Bytes;
};

struct lengths {
  std::vector<int> Query, Key;
};

/// Tensors of a variant's forward pass.
class problem {
public:
  problem(const variant &V, const lengths &L, int QueryHeads, int KeyHeads)
      : V(V), Format(format_of(V.word("dtype"))), Grouped(V.flag("group")),
        Pad(V.flag("padd")), HDimQ(V.number("hdim") - (Pad ? 3 : 0)),
        HDimV(V.number("hdim") - (Pad ? 5 : 0)),
        Q(Format, order::tokens_first, Grouped, L.Query, QueryHeads, HDimQ,
          Pad),
        K(Format, order::heads_first, Grouped, L.Key, KeyHeads, HDimQ, Pad),
        Val(Format,
            V.has("vrow") && !V.flag("vrow") ? order::columns
                                             : order::tokens_first,
            Grouped, L.Key, KeyHeads, HDimV, Pad),
        O(Format, order::heads_first, Grouped, L.Query, QueryHeads, HDimV,
          2 * Pad),
        StartsQ(Q.Starts), StartsK(K.Starts),
        MaxQuery(*std::max_element(L.Query.begin(), L.Query.end())),
        MaxKey(*std::max_element(L.Key.begin(), L.Key.end())),
        Bias(MaxQuery, MaxKey), Slopes(QueryHeads),
        Lse(L.Query.size() * QueryHeads * MaxQuery), BiasArray(biasValues()) {
    Q.fill();
    K.fill();
    Val.fill();
    O.upload();
  }

  reference::rules rules(int Head) const {
    reference::rules R;
    R.Scale = Scale;
    R.Cap = V.flag("cap") ? Cap : 0;
    R.Causal = V.mask() == mask_enum::mask_top_left;
    R.Window = V.mask() == mask_enum::window_generic;
    R.Left = WindowLeft;
    R.Right = WindowRight;
    R.Bias = V.bias() == bias_enum::elementwise_bias ? &Bias : nullptr;
    R.Slope = V.bias() == bias_enum::alibi ? Slopes[Head] : 0;
    return R;
  }
  int keyHead(int Head) const { return Head * K.Heads / Q.Heads; }
  size_t lseIndex(int B, int H, int T) const {
    return (size_t(B) * Q.Heads + H) * MaxQuery + T;
  }

  /// What forward and backward arguments call the same.
  template <typename Args> void fill(Args &A) {
    std::memset(static_cast<void *>(&A), 0, sizeof(A));
    A.q_ptr = Q.Device;
    A.k_ptr = K.Device;
    A.v_ptr = Val.Device;
    A.bias_ptr = BiasArray.Device;
    A.seqstart_q_ptr = StartsQ.device();
    A.seqstart_k_ptr = StartsK.device();
    A.seqlen_q = MaxQuery;
    A.seqlen_k = MaxKey;
    A.max_seqlen_q = MaxQuery;
    A.batch = int(Q.Lengths.size());
    A.nhead_q = Q.Heads;
    A.nhead_k = K.Heads;
    A.hdim_q = HDimQ;
    A.hdim_v = HDimV;
    A.stride_bias = MaxKey;
    A.window_size_left = WindowLeft;
    A.window_size_right = WindowRight;
    strides(Q, A.stride_q, A.nhead_stride_q, A.batch_stride_q);
    strides(K, A.stride_k, A.nhead_stride_k, A.batch_stride_k);
    strides(Val, A.stride_v, A.nhead_stride_v, A.batch_stride_v);
    strides(O, A.stride_o, A.nhead_stride_o, A.batch_stride_o);
  }
  void fillForward(fmha_fwd_args &A) {
    A.lse_ptr = Lse.Device;
    A.o_ptr = O.Device;
    A.scale_s = Scale;
    A.logits_soft_cap = Cap;
  }
  fmha_fwd_traits traits(bool WithLse) const {
    return {HDimQ,         HDimV,    V.word("dtype"), Grouped, V.flag("vrow"),
            V.flag("cap"), V.mask(), V.bias(),        WithLse};
  }
  static void strides(const tensor &T, int &Row, int &Head, int &Batch) {
    Row = T.stride();
    Head = T.Head;
    Batch = T.Batch;
  }

  /// After a forward pass.
  void compare(comparison &C, bool WithLse) {
    check(hipDeviceSynchronize(), "kernel");
    C.take(O);
    C.take(Lse);
    for (int B = 0; B < int(Q.Lengths.size()); ++B)
      for (int H = 0; H < Q.Heads; ++H) {
        const int KeyHead = keyHead(H);
        reference::forward F = attention(
            rules(H), Q.head(B, H), K.head(B, KeyHead), Val.head(B, KeyHead));
        C.head(O, B, H, F.Out);
        for (int T = 0; WithLse && T < Q.Lengths[B]; ++T)
          C.element(format_of("fp32"), Lse[lseIndex(B, H, T)], F.Lse[T]);
      }
  }

  const variant &V;
  const number_format &Format;
  bool Grouped;
  int Pad, HDimQ, HDimV;
  tensor Q, K, Val, O;
  array<int> StartsQ, StartsK;
  int MaxQuery, MaxKey;
  reference::matrix Bias;
  std::vector<float> Slopes;
  array<float> Lse;
  array<float> BiasArray;
  float Scale = 0.25f, Cap = 3;
  int WindowLeft = 5, WindowRight = 2;

private:
  std::vector<float> biasValues() {
    std::vector<float> Values;
    for (double &Cell : Bias.Cells)
      Values.push_back(float(Cell = random_number()));
    for (size_t H = 0; H < Slopes.size(); ++H)
      Slopes[H] = 0.125f * float(H + 1);
    return V.bias() == bias_enum::alibi ? Slopes : Values;
  }
};

/// Lengths that need padding, or that the variants without it take.
inline lengths usual_lengths(const variant &V) {
  if (V.flag("group"))
    return V.flag("pads") ? lengths{{5, 17, 1}, {33, 70, 3}}
                          : lengths{{16, 32, 16}, {70, 16, 64}};
  return V.flag("pads") ? lengths{{19, 19}, {70, 70}}
                        : lengths{{16, 16}, {80, 80}};
}

using compare_function = void (*)(const variant &,
                                  const minick::stream_config &, comparison &);
/// Makes an API known to the program that its file is linked into.
struct api {
  api(const char *Name, compare_function Run) { all()[Name] = Run; }
  static std::map<std::string, compare_function> &all() {
    static std::map<std::string, compare_function> All;
    return All;
  }
};

#endif // MINICK_NUMBERS_NUMBERS_H
