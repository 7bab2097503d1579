//===- mathematics.h - functions of kernels against the host's --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel with the functions that texts without headers have, and how far each
// result is from that of doubles, in units of the last place; of those whose
// approximations are good near 0 only, in 2^-24. Limits are those of
// docs/reference/jit-executor.md. kernel.cpp runs it on emulated GPUs,
// ptx/ptx.cpp on those that there are.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TEST_JIT_MATHEMATICS_H
#define KPACK_TEST_JIT_MATHEMATICS_H

#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace mathematics {

/// extern "C" void mathematics(float *to, const float *from, unsigned n): for
/// each of n numbers as many as there are functions.
constexpr char Text[] = R"(
extern "C" __global__ void mathematics(float *to, const float *from,
                                       unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = from[i];
  float all[] = {expf(x), logf(x), log2f(x), log10f(x), sinf(x), cosf(x),
                 tanhf(x), exp2f(x), sqrtf(x), rsqrtf(x), __expf(x), __logf(x)};
  for (unsigned f = 0; f < 12; ++f)
    to[12 * i + f] = all[f];
}
)";

struct Function {
  const char *Name;
  double (*Exact)(double);
  double Limit;     ///< units of the last place
  double Low, High; ///< of the argument
  bool IsAbsolute = false;
};
inline const Function Functions[] = {
    {"expf", [](double X) { return std::exp(X); }, 4, -200, 200},
    {"logf", [](double X) { return std::log(X); }, 4, -1, 4e38},
    {"log2f", [](double X) { return std::log2(X); }, 4, -1, 4e38},
    {"log10f", [](double X) { return std::log10(X); }, 4, -1, 4e38},
    {"sinf", [](double X) { return std::sin(X); }, 2, -1e5, 1e5, true},
    {"cosf", [](double X) { return std::cos(X); }, 2, -1e5, 1e5, true},
    {"tanhf", [](double X) { return std::tanh(X); }, 4, -1e38, 1e38},
    {"exp2f", [](double X) { return std::exp2(X); }, 4, -200, 200},
    {"sqrtf", [](double X) { return std::sqrt(X); }, 4, -1, 4e38},
    {"rsqrtf", [](double X) { return 1 / std::sqrt(X); }, 4, 1e-37, 4e38},
    {"__expf", [](double X) { return std::exp(X); }, 200, -80, 80},
    {"__logf", [](double X) { return std::log(X); }, 16, 0.1, 10, true}};
constexpr unsigned Count = sizeof(Functions) / sizeof(Functions[0]);

/// Powers of two and their neighbours, fractions, what is special.
inline std::vector<float> arguments() {
  std::vector<float> All = {0, -0.0f, INFINITY, -INFINITY, NAN, 1, -1};
  for (int E = -149; E < 128; ++E)
    for (float Sign : {1.0f, -1.0f})
      for (float M : {1.0f, 1.3f, 1.41421f, 1.41422f, 1.9999999f})
        All.push_back(Sign * std::ldexp(M, E));
  for (int I = -2000; I < 2000; ++I)
    All.push_back(float(I) * 0.0771f);
  for (int I = -200; I < 200; ++I)
    All.push_back(1 + float(I) * 0.001f);
  return All;
}

/// How far \p Is is from \p Exact.
inline double distance(float Is, double Exact, bool IsAbsolute) {
  float Rounded = float(Exact);
  if (std::isnan(Rounded) || std::isinf(Rounded))
    return std::isnan(Rounded) ? (std::isnan(Is) ? 0 : INFINITY)
                               : (Is == Rounded ? 0 : INFINITY);
  // What has no normal number left may be anything as small.
  double Least = std::ldexp(1.0, -126);
  double Size = std::fmax(std::fabs(Exact), IsAbsolute ? 1.0 : Least);
  double Unit = std::ldexp(1.0, std::ilogb(Size) - 23);
  double Far = std::fabs(Is - Exact) / Unit;
  return Far == Far ? Far : INFINITY;
}

/// How many functions are not as they should be; says which.
inline int wrong(const std::vector<float> &From, const std::vector<float> &Is) {
  int Wrong = 0;
  for (unsigned F = 0; F < Count; ++F) {
    const Function &Its = Functions[F];
    double Most = 0;
    float At = 0;
    for (std::size_t I = 0; I < From.size(); ++I) {
      double X = From[I];
      // Infinity and NaN are looked at where all numbers are.
      if (!(X >= Its.Low && X <= Its.High) &&
          !(Its.Low == -200 && !std::isfinite(From[I])))
        continue;
      double Far = distance(Is[Count * I + F], Its.Exact(X), Its.IsAbsolute);
      if (Far > Most) {
        Most = Far;
        At = From[I];
      }
    }
    if (!(Most <= Its.Limit)) {
      std::printf("%s(%a): %g units from the exact value\n", Its.Name, At,
                  Most);
      ++Wrong;
    }
  }
  return Wrong;
}

} // namespace mathematics

#endif // KPACK_TEST_JIT_MATHEMATICS_H
