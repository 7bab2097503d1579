//===- fmha_kernels.h - attention kernels of minick -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code, simple on purpose: a workgroup of one wave does one row. Keys go
// by in chunks of 64, one a lane, with a running maximum and sum (online
// softmax). Blobs include this file; dispatchers do not. Without HIP only the
// names are left.
//
//===----------------------------------------------------------------------===//
#ifndef MINICK_FMHA_KERNELS_H
#define MINICK_FMHA_KERNELS_H

#include "fmha_bwd.h"
#include "fmha_fwd.h"

#ifdef __HIP__
namespace minick {

constexpr index_t Lanes = 64;
constexpr float Log2E = 1.44269504088896340736f;

__device__ inline index_t lane() { return __builtin_amdgcn_workitem_id_x(); }
__device__ inline float exp_of(float X) { return __builtin_exp2f(X * Log2E); }
__device__ inline float log_of(float X) { return __builtin_log2f(X) / Log2E; }
__device__ inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// Which row a workgroup has, and where its sequences are.
struct row_position {
  index_t Batch, Head, KeyHead, Row;
  index_t QueryStart, KeyStart, QueryCount, KeyCount;
};

template <bool GroupMode, typename Args>
__device__ inline row_position position(const Args &A) {
  row_position P{};
  P.Row = __builtin_amdgcn_workgroup_id_x();
  P.Head = __builtin_amdgcn_workgroup_id_y();
  P.Batch = __builtin_amdgcn_workgroup_id_z();
  P.KeyHead = P.Head / (A.nhead_q / A.nhead_k);
  P.QueryCount = A.seqlen_q;
  P.KeyCount = A.seqlen_k;
  if constexpr (GroupMode) {
    P.QueryStart = A.seqstart_q_ptr[P.Batch];
    P.KeyStart = A.seqstart_k_ptr[P.Batch];
    P.QueryCount = A.seqstart_q_ptr[P.Batch + 1] - P.QueryStart;
    P.KeyCount = A.seqstart_k_ptr[P.Batch + 1] - P.KeyStart;
  }
  return P;
}

/// First element of row \p Row of a tensor; the batch stride does not count in
/// group mode.
template <bool GroupMode>
__device__ inline size_t row_offset(index_t Batch, size_t BatchStride,
                                    index_t Head, size_t HeadStride,
                                    index_t Row, size_t Stride) {
  size_t Offset = Head * HeadStride + Row * Stride;
  return GroupMode ? Offset : Offset + Batch * BatchStride;
}

template <mask_enum Mask, typename Args>
__device__ inline bool visible(const Args &A, index_t Query, index_t Key) {
  if constexpr (Mask == mask_enum::mask_top_left)
    return Key <= Query;
  if constexpr (Mask == mask_enum::window_generic)
    return (A.window_size_left < 0 || Key >= Query - A.window_size_left) &&
           (A.window_size_right < 0 || Key <= Query + A.window_size_right);
  return true;
}

template <bias_enum Bias, typename Args>
__device__ inline float bias_of(const Args &A, index_t Head, index_t Query,
                                index_t Key) {
  const float *Values = static_cast<const float *>(A.bias_ptr);
  if constexpr (Bias == bias_enum::elementwise_bias)
    return Values[size_t(Query) * A.stride_bias + Key];
  if constexpr (Bias == bias_enum::alibi) {
    index_t Distance = Query > Key ? Query - Key : Key - Query;
    return -Values[Head] * float(Distance);
  }
  return 0.0f;
}

template <typename T>
__device__ inline float dot(const T *X, const T *Y, index_t Count) {
  float Sum = 0;
  for (index_t I = 0; I < Count; ++I)
    Sum += to_float(X[I]) * to_float(Y[I]);
  return Sum;
}

/// Row of the forward pass over keys [Begin, End). KeyRow maps a key to its
/// token in k_ptr and v_ptr. Result: what lane's dimensions accumulated, not
/// yet divided by Sum.
template <typename Traits> struct attention_row {
  using T = typename Traits::DataType::type;
  static constexpr index_t PerLane = (Traits::HDim + Lanes - 1) / Lanes;
  float Max = -__builtin_huge_valf(), Sum = 0;
  float Out[PerLane] = {};

  template <typename Args, typename KeyRow>
  __device__ void run(const Args &A, const row_position &P, index_t Begin,
                      index_t End, KeyRow Token) {
    __shared__ float Scores[Lanes];
    const index_t HDim = Traits::kPadD ? A.hdim_q : Traits::HDim;
    const T *Query = static_cast<const T *>(A.q_ptr) +
                     row_offset<Traits::kIsGroupMode>(
                         P.Batch, A.batch_stride_q, P.Head, A.nhead_stride_q,
                         P.QueryStart + P.Row, A.stride_q);
    for (index_t First = Begin; First < End; First += Lanes) {
      index_t Key = First + lane();
      float Score = -__builtin_huge_valf();
      if (Key < End && visible<Traits::Mask>(A, P.Row, Key)) {
        const T *K = static_cast<const T *>(A.k_ptr) +
                     row_offset<Traits::kIsGroupMode>(
                         P.Batch, A.batch_stride_k, P.KeyHead, A.nhead_stride_k,
                         Token(Key), A.stride_k);
        Score = dot(Query, K, HDim) * A.scale_s;
        if constexpr (Traits::kHasSoftCap) {
          float E = exp_of(2.0f * Score / A.logits_soft_cap);
          Score = A.logits_soft_cap * (1.0f - 2.0f / (E + 1.0f));
        }
        Score += bias_of<Traits::Bias>(A, P.Head, P.Row, Key);
      }
      Scores[lane()] = Score;
      barrier();
      float NewMax = Max;
      for (index_t I = 0; I < Lanes; ++I)
        NewMax = Scores[I] > NewMax ? Scores[I] : NewMax;
      if (NewMax > -__builtin_huge_valf()) {
        float Shrink = exp_of(Max - NewMax);
        Max = NewMax;
        Sum *= Shrink;
        for (float &O : Out)
          O *= Shrink;
        for (index_t I = 0; I < Lanes && First + I < End; ++I)
          add(A, P, Token(First + I), exp_of(Scores[I] - Max));
      }
      barrier();
    }
  }

private:
  template <typename Args>
  __device__ void add(const Args &A, const row_position &P, index_t Token,
                      float Weight) {
    Sum += Weight;
    const index_t HDim = Traits::kPadD ? A.hdim_v : Traits::HDim;
    const T *V =
        static_cast<const T *>(A.v_ptr) +
        row_offset<Traits::kIsGroupMode>(P.Batch, A.batch_stride_v, P.KeyHead,
                                         A.nhead_stride_v, 0, 0);
    for (index_t I = 0; I < PerLane; ++I) {
      index_t D = lane() + I * Lanes;
      if (D < HDim)
        Out[I] += Weight * to_float(Traits::kIsVRowMajor
                                        ? V[size_t(Token) * A.stride_v + D]
                                        : V[size_t(D) * A.stride_v + Token]);
    }
  }
};

template <typename Args>
__device__ inline float *lse_at(const Args &A, void *Base, index_t Batch,
                                index_t Head, index_t Row) {
  return static_cast<float *>(Base) +
         (size_t(Batch) * A.nhead_q + Head) * A.max_seqlen_q + Row;
}

/// Writes \p Row to o_ptr and lse_ptr.
template <typename Traits, typename Args>
__device__ inline void store_row(const Args &A, const row_position &P,
                                 const attention_row<Traits> &Row) {
  using T = typename Traits::DataType::type;
  const index_t HDim = Traits::kPadD ? A.hdim_v : Traits::HDim;
  T *O = static_cast<T *>(A.o_ptr) +
         row_offset<Traits::kIsGroupMode>(P.Batch, A.batch_stride_o, P.Head,
                                          A.nhead_stride_o,
                                          P.QueryStart + P.Row, A.stride_o);
  for (index_t I = 0; I < Row.PerLane; ++I) {
    index_t D = lane() + I * Lanes;
    if (D < HDim)
      O[D] = from_float<T>(Row.Sum > 0 ? Row.Out[I] / Row.Sum : 0.0f);
  }
  if constexpr (Traits::kStoreLse)
    if (lane() == 0)
      *lse_at(A, A.lse_ptr, P.Batch, P.Head, P.Row) = Row.Max + log_of(Row.Sum);
}

} // namespace minick
#endif // __HIP__

namespace minick {

template <typename Traits> struct FmhaFwdKernel {
#ifdef __HIP__
  static dim3 grid(const fmha_fwd_args &A) {
    return dim3(A.max_seqlen_q, A.nhead_q, A.batch);
  }
  static __device__ void run(const fmha_fwd_args &A) {
    row_position P = position<Traits::kIsGroupMode>(A);
    if (P.Row >= P.QueryCount)
      return;
    attention_row<Traits> Row;
    Row.run(A, P, 0, P.KeyCount, [&](index_t Key) { return P.KeyStart + Key; });
    store_row(A, P, Row);
  }
#endif
};

template <typename Traits> struct FmhaBatchPrefillKernel {
#ifdef __HIP__
  static dim3 grid(const fmha_batch_prefill_args &A) {
    return dim3(A.max_seqlen_q, A.nhead_q, A.batch);
  }
  static __device__ void run(const fmha_batch_prefill_args &A) {
    row_position P = position<true>(A);
    if (P.Row >= P.QueryCount)
      return;
    const index_t *Pages = A.kv_page_indices + A.kv_indptr[P.Batch];
    attention_row<Traits> Row;
    Row.run(A, P, 0, P.KeyCount, [&](index_t Key) {
      return Pages[Key / A.page_block_size] * A.page_block_size +
             Key % A.page_block_size;
    });
    store_row(A, P, Row);
  }
#endif
};

template <typename Traits> struct FmhaFwdSplitKVKernel {
#ifdef __HIP__
  static dim3 grid(const fmha_fwd_splitkv_args &A) {
    return dim3(A.max_seqlen_q * A.num_splits, A.nhead_q, A.batch);
  }
  static __device__ void run(const fmha_fwd_splitkv_args &A) {
    row_position P = position<Traits::kIsGroupMode>(A);
    const index_t Split = P.Row / A.max_seqlen_q;
    P.Row %= A.max_seqlen_q;
    if (P.Row >= P.QueryCount)
      return;
    const index_t Size = (P.KeyCount + A.num_splits - 1) / A.num_splits;
    const index_t Begin = Split * Size;
    const index_t End = Begin + Size < P.KeyCount ? Begin + Size : P.KeyCount;
    attention_row<Traits> Row;
    Row.run(A, P, Begin, End, [&](index_t Key) { return P.KeyStart + Key; });
    float *Lse =
        lse_at(A, A.lse_acc_ptr, Split * A.batch + P.Batch, P.Head, P.Row);
    float *O = A.o_acc_ptr + (Lse - A.lse_acc_ptr) * A.hdim_v;
    for (index_t I = 0; I < Row.PerLane; ++I)
      if (index_t D = lane() + I * Lanes; D < A.hdim_v)
        O[D] = Row.Sum > 0 ? Row.Out[I] / Row.Sum : 0.0f;
    if (lane() == 0)
      *Lse = Row.Max + log_of(Row.Sum);
  }
#endif
};

template <typename Traits> struct FmhaFwdSplitKVCombineKernel {
#ifdef __HIP__
  static dim3 grid(const fmha_fwd_splitkv_args &A) {
    return dim3(A.max_seqlen_q, A.nhead_q, A.batch);
  }
  static __device__ void run(const fmha_fwd_splitkv_args &A) {
    using T = typename Traits::DataType::type;
    row_position P = position<Traits::kIsGroupMode>(A);
    if (P.Row >= P.QueryCount)
      return;
    auto Lse = [&](index_t Split) {
      return lse_at(A, A.lse_acc_ptr, Split * A.batch + P.Batch, P.Head, P.Row);
    };
    float Max = -__builtin_huge_valf(), Sum = 0;
    for (index_t S = 0; S < A.num_splits; ++S)
      Max = *Lse(S) > Max ? *Lse(S) : Max;
    const bool Any = Max > -__builtin_huge_valf();
    for (index_t S = 0; Any && S < A.num_splits; ++S)
      Sum += exp_of(*Lse(S) - Max);
    T *O = static_cast<T *>(A.o_ptr) +
           row_offset<Traits::kIsGroupMode>(P.Batch, A.batch_stride_o, P.Head,
                                            A.nhead_stride_o,
                                            P.QueryStart + P.Row, A.stride_o);
    for (index_t D = lane(); D < A.hdim_v; D += Lanes) {
      float Value = 0;
      for (index_t S = 0; Any && S < A.num_splits; ++S)
        Value += exp_of(*Lse(S) - Max) / Sum *
                 A.o_acc_ptr[(Lse(S) - A.lse_acc_ptr) * A.hdim_v + D];
      O[D] = from_float<T>(Value);
    }
    if constexpr (Traits::kStoreLse)
      if (lane() == 0)
        *lse_at(A, A.lse_ptr, P.Batch, P.Head, P.Row) = Max + log_of(Sum);
  }
#endif
};

/// One workgroup a new token: its key, rotated, and its value.
template <typename Traits> struct FmhaFwdAppendKVKernel {
#ifdef __HIP__
  using T = typename Traits::DataType::type;
  static dim3 grid(const fmha_fwd_appendkv_args &A) {
    return dim3(A.seqlen_knew, A.nhead_k, A.batch);
  }
  static __device__ float rotated(const fmha_fwd_appendkv_args &A, const T *K,
                                  index_t Token, index_t D) {
    const index_t Half = A.rotary_dim / 2;
    if (Traits::Rope == rope_enum::none || D >= A.rotary_dim)
      return to_float(K[D]);
    const bool Interleaved = Traits::Rope == rope_enum::interleaved;
    const index_t Angle = Interleaved ? D / 2 : D % Half;
    const bool Second = Interleaved ? D % 2 : D >= Half;
    const index_t Step = Interleaved ? 1 : Half;
    const float Cos = A.rotary_cos_ptr[Token * Half + Angle];
    const float Sin = A.rotary_sin_ptr[Token * Half + Angle];
    return Second ? to_float(K[D]) * Cos + to_float(K[D - Step]) * Sin
                  : to_float(K[D]) * Cos - to_float(K[D + Step]) * Sin;
  }
  static __device__ void run(const fmha_fwd_appendkv_args &A) {
    const index_t New = __builtin_amdgcn_workgroup_id_x();
    const index_t Head = __builtin_amdgcn_workgroup_id_y();
    const index_t Batch = __builtin_amdgcn_workgroup_id_z();
    const index_t Token = A.seqlen_k + New;
    const T *K = static_cast<const T *>(A.knew_ptr) +
                 row_offset<false>(Batch, A.batch_stride_knew, Head,
                                   A.nhead_stride_knew, New, A.stride_knew);
    const T *V = static_cast<const T *>(A.vnew_ptr) +
                 row_offset<false>(Batch, A.batch_stride_vnew, Head,
                                   A.nhead_stride_vnew, New, A.stride_vnew);
    T *KTo = static_cast<T *>(A.k_ptr) +
             row_offset<false>(Batch, A.batch_stride_k, Head, A.nhead_stride_k,
                               Token, A.stride_k);
    T *VTo = static_cast<T *>(A.v_ptr) +
             row_offset<false>(Batch, A.batch_stride_v, Head, A.nhead_stride_v,
                               0, 0);
    const index_t HDimQ = Traits::kPadD ? A.hdim_q : Traits::HDim;
    const index_t HDimV = Traits::kPadD ? A.hdim_v : Traits::HDim;
    for (index_t D = lane(); D < HDimQ; D += Lanes)
      KTo[D] = from_float<T>(rotated(A, K, Token, D));
    for (index_t D = lane(); D < HDimV; D += Lanes)
      VTo[Traits::kIsVRowMajor ? size_t(Token) * A.stride_v + D
                               : size_t(D) * A.stride_v + Token] = V[D];
  }
#endif
};

template <typename Traits> struct FmhaBwdDotDoOKernel {
#ifdef __HIP__
  static dim3 grid(const fmha_bwd_args &A) {
    return dim3(A.max_seqlen_q, A.nhead_q, A.batch);
  }
  static __device__ void run(const fmha_bwd_args &A) {
    using T = typename Traits::DataType::type;
    row_position P = position<Traits::kIsGroupMode>(A);
    if (P.Row >= P.QueryCount || lane() != 0)
      return;
    const size_t Offset = row_offset<Traits::kIsGroupMode>(
        P.Batch, A.batch_stride_o, P.Head, A.nhead_stride_o,
        P.QueryStart + P.Row, A.stride_o);
    *lse_at(A, A.d_ptr, P.Batch, P.Head, P.Row) =
        dot(static_cast<const T *>(A.o_ptr) + Offset,
            static_cast<const T *>(A.do_ptr) + Offset, A.hdim_v);
  }
#endif
};

/// Workgroups below max_seqlen_k have a row of dK and dV, those above a row of
/// dQ: nothing is added up across workgroups, so every run gives the same.
template <typename Traits> struct FmhaBwdDqDkDvKernel {
  static constexpr bool needs_zero_dq_acc() { return false; }
  static constexpr index_t dq_acc_splits(index_t) { return 1; }
#ifdef __HIP__
  using T = typename Traits::DataType::type;
  static dim3 grid(const fmha_bwd_args &A) {
    return dim3(A.max_seqlen_k + A.max_seqlen_q, A.nhead_q, A.batch);
  }
  static __device__ const T *row(const void *Base, size_t Offset) {
    return static_cast<const T *>(Base) + Offset;
  }
  static __device__ size_t query_row(const fmha_bwd_args &A,
                                     const row_position &P, index_t Row) {
    return row_offset<Traits::kIsGroupMode>(P.Batch, A.batch_stride_q, P.Head,
                                            A.nhead_stride_q,
                                            P.QueryStart + Row, A.stride_q);
  }
  static __device__ size_t out_row(const fmha_bwd_args &A,
                                   const row_position &P, index_t Row) {
    return row_offset<Traits::kIsGroupMode>(P.Batch, A.batch_stride_o, P.Head,
                                            A.nhead_stride_o,
                                            P.QueryStart + Row, A.stride_o);
  }
  static __device__ size_t key_row(const fmha_bwd_args &A,
                                   const row_position &P, index_t Head,
                                   index_t Row) {
    return row_offset<Traits::kIsGroupMode>(P.Batch, A.batch_stride_k, Head,
                                            A.nhead_stride_k, P.KeyStart + Row,
                                            A.stride_k);
  }
  static __device__ size_t value_row(const fmha_bwd_args &A,
                                     const row_position &P, index_t Head,
                                     index_t Row) {
    return row_offset<Traits::kIsGroupMode>(P.Batch, A.batch_stride_v, Head,
                                            A.nhead_stride_v, P.KeyStart + Row,
                                            A.stride_v);
  }

  /// Probability of a pair, and the gradient of its score.
  struct pair {
    float P = 0, DS = 0;
  };
  static __device__ pair at(const fmha_bwd_args &A, const row_position &P,
                            index_t Query, index_t Key) {
    pair Result;
    if (!visible<Traits::Mask>(A, Query, Key))
      return Result;
    float Score = dot(row(A.q_ptr, query_row(A, P, Query)),
                      row(A.k_ptr, key_row(A, P, P.KeyHead, Key)), A.hdim_q) *
                  A.scale;
    Score += bias_of<Traits::Bias>(A, P.Head, Query, Key);
    Result.P = exp_of(Score - *lse_at(A, const_cast<float *>(A.lse_ptr),
                                      P.Batch, P.Head, Query));
    float DP = dot(row(A.do_ptr, out_row(A, P, Query)),
                   row(A.v_ptr, value_row(A, P, P.KeyHead, Key)), A.hdim_v);
    Result.DS =
        Result.P * (DP - *lse_at(A, A.d_ptr, P.Batch, P.Head, Query)) * A.scale;
    return Result;
  }

  static __device__ void key_gradients(const fmha_bwd_args &A,
                                       const row_position &P, index_t Key) {
    constexpr index_t PerLane = (Traits::HDim + Lanes - 1) / Lanes;
    float DK[PerLane] = {}, DV[PerLane] = {};
    for (index_t Query = 0; Query < P.QueryCount; ++Query) {
      pair At = at(A, P, Query, Key);
      for (index_t I = 0; I < PerLane; ++I) {
        index_t D = lane() + I * Lanes;
        if (D < A.hdim_q)
          DK[I] += At.DS * to_float(row(A.q_ptr, query_row(A, P, Query))[D]);
        if (D < A.hdim_v)
          DV[I] += At.P * to_float(row(A.do_ptr, out_row(A, P, Query))[D]);
      }
    }
    const size_t KRow = row_offset<Traits::kIsGroupMode>(
        P.Batch, A.batch_stride_dk, P.Head, A.nhead_stride_dk, P.KeyStart + Key,
        A.stride_dk);
    const size_t VRow = row_offset<Traits::kIsGroupMode>(
        P.Batch, A.batch_stride_dv, P.Head, A.nhead_stride_dv, P.KeyStart + Key,
        A.stride_dv);
    for (index_t I = 0; I < PerLane; ++I) {
      index_t D = lane() + I * Lanes;
      if (D < A.hdim_q)
        static_cast<T *>(A.dk_ptr)[KRow + D] = from_float<T>(DK[I]);
      if (D < A.hdim_v)
        static_cast<T *>(A.dv_ptr)[VRow + D] = from_float<T>(DV[I]);
    }
  }

  static __device__ void query_gradient(const fmha_bwd_args &A,
                                        const row_position &P, index_t Query) {
    constexpr index_t PerLane = (Traits::HDim + Lanes - 1) / Lanes;
    float DQ[PerLane] = {};
    for (index_t Key = 0; Key < P.KeyCount; ++Key) {
      pair At = at(A, P, Query, Key);
      const T *K = row(A.k_ptr, key_row(A, P, P.KeyHead, Key));
      for (index_t I = 0; I < PerLane; ++I)
        if (index_t D = lane() + I * Lanes; D < A.hdim_q)
          DQ[I] += At.DS * to_float(K[D]);
    }
    for (index_t I = 0; I < PerLane; ++I) {
      index_t D = lane() + I * Lanes;
      if (D >= A.hdim_q)
        continue;
      if constexpr (Traits::kDirect)
        static_cast<T *>(A.dq_ptr)[query_row(A, P, Query) + D] = DQ[I];
      else
        A.dq_acc_ptr[query_row(A, P, Query) + D] = DQ[I];
    }
  }

  static __device__ void run(const fmha_bwd_args &A) {
    row_position P = position<Traits::kIsGroupMode>(A);
    if (P.Row < A.max_seqlen_k) {
      if (P.Row < P.KeyCount)
        key_gradients(A, P, P.Row);
    } else if (P.Row - A.max_seqlen_k < P.QueryCount) {
      query_gradient(A, P, P.Row - A.max_seqlen_k);
    }
  }
#endif
};

template <typename Traits> struct FmhaBwdConvertDqKernel {
#ifdef __HIP__
  static dim3 grid(const fmha_bwd_args &A) {
    return dim3(A.max_seqlen_q, A.nhead_q, A.batch);
  }
  static __device__ void run(const fmha_bwd_args &A) {
    using T = typename Traits::DataType::type;
    row_position P = position<Traits::kIsGroupMode>(A);
    if (P.Row >= P.QueryCount)
      return;
    const size_t Offset = row_offset<Traits::kIsGroupMode>(
        P.Batch, A.batch_stride_q, P.Head, A.nhead_stride_q,
        P.QueryStart + P.Row, A.stride_q);
    for (index_t D = lane(); D < A.hdim_q; D += Lanes)
      static_cast<T *>(A.dq_ptr)[Offset + D] =
          from_float<T>(A.dq_acc_ptr[Offset + D]);
  }
#endif
};

} // namespace minick

#endif // MINICK_FMHA_KERNELS_H
