// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls fmha_fwd() of ComposableKernel once (fp16, one head, bias) and compares
// its result with attention that is computed in double precision.
#include "fmha_fwd.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

using Half = ck_tile::half_t;

static constexpr int Queries = 20, Keys = 97, HeadSize = 32;
static const float Scale = 1 / std::sqrt(float(HeadSize));

static void check(hipError_t E) {
  if (E == hipSuccess)
    return;
  std::printf("HIP: error %d\n", int(E));
  std::exit(1);
}

namespace {
/// A matrix here and on the GPU, of what fp16 can have exactly.
struct Matrix {
  Matrix(int Rows, int Columns, std::mt19937 &Random)
      : Columns(Columns), Values(size_t(Rows) * Columns) {
    std::uniform_real_distribution<float> Any(-1, 1);
    for (Half &V : Values)
      V = Half(Any(Random));
    check(hipMalloc(&OnGpu, bytes()));
    check(hipMemcpy(OnGpu, Values.data(), bytes(), hipMemcpyHostToDevice));
  }
  size_t bytes() const { return Values.size() * sizeof(Half); }
  double at(int Row, int Column) const {
    return float(Values[size_t(Row) * Columns + Column]);
  }

  int Columns;
  std::vector<Half> Values;
  void *OnGpu = nullptr;
};
} // namespace

/// Of a query: the weight of each key.
static std::vector<double> weights(const Matrix &Q, const Matrix &K,
                                   const Matrix &Bias, int Query) {
  std::vector<double> Weight(Keys);
  for (int J = 0; J != Keys; ++J) {
    double Dot = 0;
    for (int C = 0; C != HeadSize; ++C)
      Dot += Q.at(Query, C) * K.at(J, C);
    Weight[J] = Dot * Scale + Bias.at(Query, J);
  }
  const double Max = *std::max_element(Weight.begin(), Weight.end());
  double Sum = 0;
  for (double &W : Weight)
    Sum += W = std::exp(W - Max);
  for (double &W : Weight)
    W /= Sum;
  return Weight;
}

int main() {
  std::mt19937 Random(7);
  Matrix Q(Queries, HeadSize, Random), K(Keys, HeadSize, Random),
      V(Keys, HeadSize, Random), Bias(Queries, Keys, Random),
      O(Queries, HeadSize, Random);
  fmha_fwd_traits Traits{};
  Traits.hdim_q = Traits.hdim_v = HeadSize;
  Traits.data_type = "fp16";
  Traits.is_v_rowmajor = true;
  Traits.mask_type = mask_enum::no_mask;
  Traits.bias_type = bias_enum::elementwise_bias;
  fmha_fwd_args Args{};
  Args.q_ptr = Q.OnGpu;
  Args.k_ptr = K.OnGpu;
  Args.v_ptr = V.OnGpu;
  Args.bias_ptr = Bias.OnGpu;
  Args.o_ptr = O.OnGpu;
  Args.seqlen_q = Args.max_seqlen_q = Queries;
  Args.seqlen_k = Keys;
  Args.batch = Args.nhead_q = Args.nhead_k = 1;
  Args.hdim_q = Args.hdim_v = HeadSize;
  Args.scale_s = Scale;
  Args.scale_p = Args.scale_o = 1;
  Args.stride_q = Args.stride_k = Args.stride_v = Args.stride_o = HeadSize;
  Args.stride_bias = Keys;
  Args.window_size_left = Args.window_size_right = -1;

  if (fmha_fwd(Traits, Args, ck_tile::stream_config{}) < 0) {
    std::puts("no kernel");
    return 1;
  }
  check(hipDeviceSynchronize());
  check(hipMemcpy(O.Values.data(), O.OnGpu, O.bytes(), hipMemcpyDeviceToHost));
  double Worst = 0;
  for (int I = 0; I != Queries; ++I) {
    const std::vector<double> Weight = weights(Q, K, Bias, I);
    for (int C = 0; C != HeadSize; ++C) {
      double Sum = 0;
      for (int J = 0; J != Keys; ++J)
        Sum += Weight[J] * V.at(J, C);
      const double Error = std::fabs(Sum - O.at(I, C));
      if (!(Error <= Worst)) // NaN too
        Worst = Error;
    }
  }
  // Weights and results are rounded to fp16.
  const bool Good = Worst < 5e-4;
  std::printf("fmha_fwd: %s, worst error %.2g\n", Good ? "right" : "WRONG",
              Worst);
  return !Good;
}
