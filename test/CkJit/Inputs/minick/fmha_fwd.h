//===- fmha_fwd.h - forward attention: arguments and dispatch ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a dispatcher and its blobs agree on. Every `_`-ended function template
// is declared here and never defined: a blob holds one explicit specialisation.
// The last parameter is the architecture tag of the 2026 style.
//
//===----------------------------------------------------------------------===//
#ifndef MINICK_FMHA_FWD_H
#define MINICK_FMHA_FWD_H

#include "minick.h"

/// Tensors are [batch][head][token][dimension] by their strides (in elements);
/// V with columns of tokens has [dimension][token] instead. In group mode the
/// batches lie one after another, seqstart_* says where (batch + 1 numbers).
struct fmha_fwd_args {
  const void *q_ptr;
  const void *k_ptr;
  const void *v_ptr;
  const void *bias_ptr; // elementwise: [seqlen_q][seqlen_k]; alibi: [head]
  void *lse_ptr;        // [batch][head][max_seqlen_q]
  void *o_ptr;
  const minick::index_t *seqstart_q_ptr;
  const minick::index_t *seqstart_k_ptr;
  minick::index_t seqlen_q, seqlen_k, max_seqlen_q, batch;
  minick::index_t nhead_q, nhead_k; // nhead_q is a multiple of nhead_k
  minick::index_t hdim_q, hdim_v;
  float scale_s, logits_soft_cap;
  minick::index_t stride_q, stride_k, stride_v, stride_o, stride_bias;
  minick::index_t nhead_stride_q, nhead_stride_k, nhead_stride_v,
      nhead_stride_o;
  minick::index_t batch_stride_q, batch_stride_k, batch_stride_v,
      batch_stride_o;
  minick::index_t window_size_left, window_size_right; // -1: no limit
};

/// What the caller wants; the dispatcher compares it with every variant.
struct fmha_fwd_traits {
  minick::index_t hdim_q, hdim_v;
  std::string data_type; // fp32, fp16, bf16
  bool is_group_mode;
  bool is_v_rowmajor;
  bool has_logits_soft_cap;
  mask_enum mask_type;
  bias_enum bias_type;
  bool has_lse;
};

template <minick::index_t HDim_, typename DataType_, bool kIsGroupMode_,
          bool kIsVRowMajor_, bool kHasSoftCap_, mask_enum Mask_,
          bias_enum Bias_, bool kStoreLse_, bool kPadS_, bool kPadD_>
struct fmha_fwd_traits_ {
  using DataType = DataType_;
  static constexpr minick::index_t HDim = HDim_;
  static constexpr bool kIsGroupMode = kIsGroupMode_;
  static constexpr bool kIsVRowMajor = kIsVRowMajor_;
  static constexpr bool kHasSoftCap = kHasSoftCap_;
  static constexpr mask_enum Mask = Mask_;
  static constexpr bias_enum Bias = Bias_;
  static constexpr bool kStoreLse = kStoreLse_;
  static constexpr bool kPadS = kPadS_;
  static constexpr bool kPadD = kPadD_;
};

template <typename Traits_, typename Arch_ = void>
float fmha_fwd_(const minick::stream_config &, fmha_fwd_args);
float fmha_fwd(fmha_fwd_traits, fmha_fwd_args, const minick::stream_config &);

// Keys in `num_splits` parts; a second kernel combines the partial results.
struct fmha_fwd_splitkv_args : fmha_fwd_args {
  minick::index_t num_splits;
  float *lse_acc_ptr; // [split][batch][head][max_seqlen_q]
  float *o_acc_ptr;   // [split][batch][head][max_seqlen_q][hdim_v]
};
using fmha_fwd_splitkv_traits = fmha_fwd_traits;

template <minick::index_t HDim_, typename DataType_, bool kIsGroupMode_,
          bool kStoreLse_, bool kPadS_, bool kPadD_>
struct fmha_fwd_splitkv_combine_traits_ {
  using DataType = DataType_;
  static constexpr minick::index_t HDim = HDim_;
  static constexpr bool kIsGroupMode = kIsGroupMode_;
  static constexpr bool kStoreLse = kStoreLse_;
};

template <typename Traits_, typename Arch_ = void>
void fmha_fwd_splitkv_oneshot_(const minick::stream_config &,
                               fmha_fwd_splitkv_args);
template <typename Traits_, typename Arch_ = void>
std::string fmha_fwd_splitkv_get_name_();
template <typename Traits_, typename Arch_ = void>
void fmha_fwd_splitkv_combine_oneshot_(const minick::stream_config &,
                                       fmha_fwd_splitkv_args);
template <typename Traits_, typename Arch_ = void>
std::string fmha_fwd_splitkv_combine_get_name_();
float fmha_fwd_splitkv(fmha_fwd_splitkv_traits, fmha_fwd_splitkv_args,
                       const minick::stream_config &);

// New keys and values behind those of a cache, rotated where asked for.
enum class rope_enum { none, interleaved, half_rotated };

struct fmha_fwd_appendkv_args {
  void *k_ptr; // cache, [batch][head][token][dimension]
  void *v_ptr;
  const void *knew_ptr;
  const void *vnew_ptr;
  const float *rotary_cos_ptr; // [token][rotary_dim / 2]
  const float *rotary_sin_ptr;
  minick::index_t seqlen_k, seqlen_knew, batch, nhead_k, hdim_q, hdim_v;
  minick::index_t rotary_dim;
  minick::index_t stride_k, stride_v, stride_knew, stride_vnew;
  minick::index_t nhead_stride_k, nhead_stride_v, nhead_stride_knew,
      nhead_stride_vnew;
  minick::index_t batch_stride_k, batch_stride_v, batch_stride_knew,
      batch_stride_vnew;
};

struct fmha_fwd_appendkv_traits {
  minick::index_t hdim_q, hdim_v;
  std::string data_type;
  bool is_v_rowmajor;
  rope_enum rope_type;
};

template <minick::index_t HDim_, typename DataType_, bool kIsVRowMajor_,
          rope_enum Rope_, bool kPadS_, bool kPadD_>
struct fmha_fwd_appendkv_traits_ {
  using DataType = DataType_;
  static constexpr minick::index_t HDim = HDim_;
  static constexpr bool kIsVRowMajor = kIsVRowMajor_;
  static constexpr rope_enum Rope = Rope_;
  static constexpr bool kPadD = kPadD_;
};

template <typename Traits_, typename Arch_ = void>
float fmha_fwd_appendkv_(const minick::stream_config &, fmha_fwd_appendkv_args);
float fmha_fwd_appendkv(fmha_fwd_appendkv_traits, fmha_fwd_appendkv_args,
                        const minick::stream_config &);

// Keys and values in pages that any batch may use.
struct fmha_batch_prefill_args : fmha_fwd_args {
  const minick::index_t *kv_indptr;       // [batch + 1], in pages
  const minick::index_t *kv_page_indices; // which page of k_ptr and v_ptr
  minick::index_t page_block_size;        // tokens of a page
};
using fmha_batch_prefill_traits = fmha_fwd_traits;

template <minick::index_t HDim_, typename DataType_, bool kIsVRowMajor_,
          bool kHasSoftCap_, mask_enum Mask_, bias_enum Bias_, bool kStoreLse_,
          bool kPadS_, bool kPadD_>
struct fmha_fwd_batch_prefill_traits_
    : fmha_fwd_traits_<HDim_, DataType_, true, kIsVRowMajor_, kHasSoftCap_,
                       Mask_, Bias_, kStoreLse_, kPadS_, kPadD_> {};

template <typename Traits_>
float fmha_batch_prefill_(const minick::stream_config &,
                          fmha_batch_prefill_args);
float fmha_batch_prefill(fmha_batch_prefill_traits, fmha_batch_prefill_args,
                         const minick::stream_config &);

#endif // MINICK_FMHA_FWD_H
