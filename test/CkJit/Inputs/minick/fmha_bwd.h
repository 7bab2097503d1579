//===- fmha_bwd.h - backward attention: arguments and dispatch --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps, each with blobs of its own: D = rowsum(dO * O), then dQ, dK and
// dV, then dQ from single precision to the data type (void where dQ is written
// directly). The launcher is the 2026 style: its init<> calls specialisations
// from inside a header.
//
//===----------------------------------------------------------------------===//
#ifndef MINICK_FMHA_BWD_H
#define MINICK_FMHA_BWD_H

#include "minick.h"

#include <functional>

/// Layout as fmha_fwd_args; dq and do have the strides of q and o. dk and dv
/// have strides of their own, as a head of keys has several of queries.
struct fmha_bwd_args {
  const void *q_ptr;
  const void *k_ptr;
  const void *v_ptr;
  const void *bias_ptr; // elementwise: [seqlen_q][seqlen_k]; alibi: [head]
  const void *o_ptr;
  const float *lse_ptr; // [batch][head][max_seqlen_q], of the forward pass
  const void *do_ptr;
  float *d_ptr; // [batch][head][max_seqlen_q]
  void *dq_ptr;
  void *dk_ptr; // nhead_q heads
  void *dv_ptr;
  float *dq_acc_ptr; // as dq, where a third step converts it
  const minick::index_t *seqstart_q_ptr;
  const minick::index_t *seqstart_k_ptr;
  minick::index_t seqlen_q, seqlen_k, max_seqlen_q, max_seqlen_k, batch;
  minick::index_t nhead_q, nhead_k;
  minick::index_t hdim_q, hdim_v;
  float scale;
  minick::index_t stride_q, stride_k, stride_v, stride_o, stride_bias;
  minick::index_t nhead_stride_q, nhead_stride_k, nhead_stride_v,
      nhead_stride_o;
  minick::index_t batch_stride_q, batch_stride_k, batch_stride_v,
      batch_stride_o;
  minick::index_t stride_dk, stride_dv, nhead_stride_dk, nhead_stride_dv;
  minick::index_t batch_stride_dk, batch_stride_dv;
  minick::index_t window_size_left, window_size_right;
};

struct fmha_bwd_traits {
  minick::index_t hdim_q, hdim_v;
  std::string data_type;
  bool is_group_mode;
  mask_enum mask_type;
  bias_enum bias_type;
  bool is_deterministic;
};

template <minick::index_t HDim_, typename DataType_, bool kIsGroupMode_,
          bool kPadS_, bool kPadD_>
struct fmha_bwd_dot_do_o_traits_ {
  using DataType = DataType_;
  static constexpr bool kIsGroupMode = kIsGroupMode_;
};

template <minick::index_t HDim_, typename DataType_, bool kIsGroupMode_,
          mask_enum Mask_, bias_enum Bias_, bool kIsDeterministic_, bool kPadS_,
          bool kPadD_>
struct fmha_bwd_dq_dk_dv_traits_ {
  using DataType = DataType_;
  static constexpr minick::index_t HDim = HDim_;
  static constexpr bool kIsGroupMode = kIsGroupMode_;
  static constexpr mask_enum Mask = Mask_;
  static constexpr bias_enum Bias = Bias_;
  static constexpr bool kPadD = kPadD_;
  /// Single precision gradients need no third step.
  static constexpr bool kDirect = std::is_same_v<DataType_, FmhaFp32>;
};

template <minick::index_t HDim_, typename DataType_, bool kIsGroupMode_,
          bool kPadS_, bool kPadD_>
struct fmha_bwd_convert_dq_traits_ {
  using DataType = DataType_;
  static constexpr bool kIsGroupMode = kIsGroupMode_;
};

template <typename Traits_, typename Arch_ = void>
void fmha_bwd_dot_do_o_oneshot_(const minick::stream_config &, fmha_bwd_args);
template <typename Traits_, typename Arch_ = void>
std::string fmha_bwd_dot_do_o_get_name_();
template <typename Traits_, typename Arch_ = void>
void fmha_bwd_dq_dk_dv_oneshot_(const minick::stream_config &, fmha_bwd_args);
template <typename Traits_, typename Arch_ = void>
std::string fmha_bwd_dq_dk_dv_get_name_();
template <typename Traits_, typename Arch_ = void>
bool fmha_bwd_dq_dk_dv_needs_zero_dq_acc_();
template <typename Traits_, typename Arch_ = void>
minick::index_t fmha_bwd_dq_dk_dv_dq_acc_splits_(minick::index_t seqlen_k);
template <typename Traits_, typename Arch_ = void>
void fmha_bwd_convert_dq_oneshot_(const minick::stream_config &, fmha_bwd_args);
template <typename Traits_, typename Arch_ = void>
std::string fmha_bwd_convert_dq_get_name_();

// 2024: one function. The dispatcher defines the template.
float fmha_bwd(fmha_bwd_traits, fmha_bwd_args, const minick::stream_config &);

// 2026: the choice is made once and kept.
template <typename DotDoOTrait_, typename DqDkDvTrait_,
          typename ConvertDqTrait_, typename Arch_>
float fmha_bwd_(const minick::stream_config &, fmha_bwd_args);

struct fmha_bwd_launcher {
  std::function<float(fmha_bwd_args, const minick::stream_config &)> run;
  std::function<minick::index_t(minick::index_t)> dq_acc_splits;
  bool needs_zero_dq_acc = false;

  explicit fmha_bwd_launcher(const fmha_bwd_traits &t);

  /// -1 when no variant fits, like the functions of the 2024 style.
  float operator()(fmha_bwd_args a, const minick::stream_config &s) const {
    return run ? run(a, s) : -1.0f;
  }

private:
  template <typename DotDoOTrait_, typename DqDkDvTrait_,
            typename ConvertDqTrait_, typename Arch_>
  void init(const fmha_bwd_traits &) {
    needs_zero_dq_acc =
        fmha_bwd_dq_dk_dv_needs_zero_dq_acc_<DqDkDvTrait_, Arch_>();
    dq_acc_splits = [](minick::index_t seqlen_k) {
      return fmha_bwd_dq_dk_dv_dq_acc_splits_<DqDkDvTrait_, Arch_>(seqlen_k);
    };
    run = [](fmha_bwd_args a, const minick::stream_config &s) {
      return fmha_bwd_<DotDoOTrait_, DqDkDvTrait_, ConvertDqTrait_, Arch_>(s,
                                                                           a);
    };
  }
};

#endif // MINICK_FMHA_BWD_H
