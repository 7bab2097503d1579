//===- reference.h - attention in double precision --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernels are compared with, written from the formulas and from
// nothing in fmha_kernels.h: no chunks, no running maximum, no strides. Every
// number carries the size of what it was made of, which is what rounding errors
// are relative to.
//
//===----------------------------------------------------------------------===//
#ifndef MINICK_NUMBERS_REFERENCE_H
#define MINICK_NUMBERS_REFERENCE_H

#include <algorithm>
#include <cmath>
#include <vector>

namespace reference {

/// A value, and a bound for (error of the value) / (error of one rounding).
/// An error d of an exponent is a relative error d of the power.
struct real {
  double Value = 0, Size = 0;
  real() = default;
  real(double V) : Value(V), Size(std::fabs(V)) {}
  real(double V, double S) : Value(V), Size(S) {}
};
inline real operator+(real A, real B) {
  return {A.Value + B.Value, A.Size + B.Size};
}
inline real operator-(real A, real B) {
  return {A.Value - B.Value, A.Size + B.Size};
}
inline real operator*(real A, real B) {
  return {A.Value * B.Value, A.Size * B.Size};
}
inline real operator/(real A, real B) {
  double Grown = B.Size / std::fabs(B.Value);
  return {A.Value / B.Value, A.Size / std::fabs(B.Value) * Grown};
}
inline real exp(real X) {
  double Value = std::exp(X.Value);
  return {Value, Value * (1 + X.Size)};
}
inline real log(real X) {
  double Value = std::log(X.Value);
  return {Value, std::fabs(Value) + X.Size / X.Value};
}

template <typename T> struct table {
  int Rows = 0, Columns = 0;
  std::vector<T> Cells;
  table() = default;
  table(int R, int C) : Rows(R), Columns(C), Cells(size_t(R) * C) {}
  T &operator()(int R, int C) { return Cells[size_t(R) * Columns + C]; }
  const T &operator()(int R, int C) const {
    return Cells[size_t(R) * Columns + C];
  }
};
using matrix = table<double>;
using results = table<real>;

/// How a query and a key make a score, besides their product.
struct rules {
  double Scale = 1;
  double Cap = 0; // 0: none
  bool Causal = false, Window = false;
  int Left = -1, Right = -1; // -1: no limit
  const matrix *Bias = nullptr;
  double Slope = 0; // of ALiBi
};

inline bool sees(const rules &R, int Query, int Key) {
  if (R.Causal && Key > Query)
    return false;
  if (R.Window && R.Left >= 0 && Query - Key > R.Left)
    return false;
  return !(R.Window && R.Right >= 0 && Key - Query > R.Right);
}

inline real product(const matrix &A, int I, const matrix &B, int J) {
  real Sum;
  for (int D = 0; D < A.Columns; ++D)
    Sum = Sum + real(A(I, D) * B(J, D));
  return Sum;
}

inline real score(const rules &R, const matrix &Q, int I, const matrix &K,
                  int J) {
  real S = product(Q, I, K, J) * R.Scale;
  if (R.Cap != 0) // a tanh of single precision is good to its own size of 1
    S = {R.Cap * std::tanh(S.Value / R.Cap), S.Size + R.Cap};
  if (R.Bias)
    S = S + real((*R.Bias)(I, J));
  return S - real(R.Slope * std::abs(I - J));
}

struct forward {
  results Out;
  std::vector<real> Lse;
};

/// softmax(scores) * V and log(sum(exp(scores))). A row that sees no key is
/// zero, and the logarithm is that of zero.
inline forward attention(const rules &R, const matrix &Q, const matrix &K,
                         const matrix &V) {
  forward F{results(Q.Rows, V.Columns), std::vector<real>(Q.Rows)};
  for (int I = 0; I < Q.Rows; ++I) {
    real Sum;
    std::vector<real> Weighted(V.Columns);
    for (int J = 0; J < K.Rows; ++J) {
      if (!sees(R, I, J))
        continue;
      real Weight = exp(score(R, Q, I, K, J));
      Sum = Sum + Weight;
      for (int D = 0; D < V.Columns; ++D)
        Weighted[D] = Weighted[D] + Weight * real(V(J, D));
    }
    F.Lse[I] = Sum.Value > 0 ? log(Sum) : real(-HUGE_VAL, 0);
    for (int D = 0; D < V.Columns && Sum.Value > 0; ++D)
      F.Out(I, D) = Weighted[D] / Sum;
  }
  return F;
}

struct gradients {
  results Q, K, V;
};

/// Of sum(dO * O): P = exp(S - lse), dS = P (dO V' - rowsum(dO O)).
inline gradients backward(const rules &R, const matrix &Q, const matrix &K,
                          const matrix &V, const matrix &O,
                          const std::vector<double> &Lse, const matrix &DO) {
  gradients G{results(Q.Rows, Q.Columns), results(K.Rows, K.Columns),
              results(V.Rows, V.Columns)};
  for (int I = 0; I < Q.Rows; ++I) {
    real Row = product(DO, I, O, I);
    for (int J = 0; J < K.Rows; ++J) {
      if (!sees(R, I, J))
        continue;
      real P = exp(score(R, Q, I, K, J) - real(Lse[I]));
      real DS = P * (product(DO, I, V, J) - Row) * R.Scale;
      for (int D = 0; D < Q.Columns; ++D) {
        G.Q(I, D) = G.Q(I, D) + DS * real(K(J, D));
        G.K(J, D) = G.K(J, D) + DS * real(Q(I, D));
      }
      for (int D = 0; D < V.Columns; ++D)
        G.V(J, D) = G.V(J, D) + P * real(DO(I, D));
    }
  }
  return G;
}

/// \p Row with its first 2 * Pairs elements turned pairwise. Neighbours are
/// pairs, or an element of the first half and one of the second.
inline std::vector<real> rotated(const double *Row, int Columns, int Pairs,
                                 bool Neighbours, const double *Cos,
                                 const double *Sin) {
  std::vector<real> To(Row, Row + Columns);
  for (int P = 0; P < Pairs; ++P) {
    const int X = Neighbours ? 2 * P : P, Y = Neighbours ? X + 1 : P + Pairs;
    To[X] = real(Row[X] * Cos[P]) - real(Row[Y] * Sin[P]);
    To[Y] = real(Row[X] * Sin[P]) + real(Row[Y] * Cos[P]);
  }
  return To;
}

} // namespace reference

#endif // MINICK_NUMBERS_REFERENCE_H
