//===- main.cpp - one size, or all of them --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution that takes any time up to 1000, and the same for one: of
// fixed(t) the kernels know the number, and so does the compiler. Both have the
// same results for that time; the program shows where the number stands.
//
//   conv-grid [TIME]       from 3 to 1000, by default 617
//
//===----------------------------------------------------------------------===//
#include <kpack/JitGraph/Graph.h>
#include <kpack/JitGraph/Ops.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace kpack::jit;

namespace {

constexpr int64_t Channels = 4, Window = 3, Stride = 2, Results = 8,
                  Most = 1000;

template <class P> struct Conv {
  In<P, float> x{};
  Out<P, float> y{};
  Var<P, Window, Most> t{};
};

struct Model {
  std::vector<float> Weights; ///< [Window, Channels, Results]

  Model() {
    for (int64_t I = 0; I < Window * Channels * Results; ++I)
      Weights.push_back(static_cast<float>(I * 29 % 17 - 8) / 8);
  }
};

Tensor<float> build(const Model &M, Conv<Trace> &Io) {
  Tensor<float> W =
      constant(Io.x, M.Weights, {Window, Channels, Results}, "weights");
  return relu(
      conv1d(Io.x, W, {.stride = Stride, .layout = ConvLayout::ChannelsLast}));
}

float sample(int64_t Time, int64_t Channel) {
  return static_cast<float>((Time * Channels + Channel) * 31 % 64 - 32) / 32;
}

/// The same as loops. Products and sums are exact, in any order.
float expected(const Model &M, int64_t Row, int64_t Result) {
  float Sum = 0;
  for (int64_t I = 0; I < Window; ++I)
    for (int64_t C = 0; C < Channels; ++C)
      Sum +=
          sample(Row * Stride + I, C) *
          M.Weights[static_cast<size_t>((I * Channels + C) * Results + Result)];
  return std::max(Sum, 0.0F);
}

Prepared<Conv> prepare(const Model &M, VarBounds T) {
  constexpr Conv<Names> D = InterfaceOf<Conv>::positions();
  auto G = graph<Conv>(M, build).prepare({.x = {1, D.t, Channels}, .t = T});
  if (!G) {
    std::printf("wrong: %s\n", G.status().message().c_str());
    std::exit(EXIT_FAILURE);
  }
  return std::move(*G);
}

/// Executes it for \p Time; false where a number is not that of the loops.
bool run(const Model &M, Prepared<Conv> &G, int64_t Time) {
  for (int64_t T = 0; T < Time; ++T)
    for (int64_t C = 0; C < Channels; ++C)
      G.io().x.data()[T * Channels + C] = sample(T, C);
  if (kpack::Status S = G.execute({.t = Time}); !S.ok()) {
    std::printf("wrong: %s\n", S.message().c_str());
    return false;
  }
  const auto &Y = G.io().y;
  bool IsRight = Y.extents()[1] == (Time - Window) / Stride + 1;
  for (int64_t Row = 0; IsRight && Row < Y.extents()[1]; ++Row)
    for (int64_t R = 0; R < Results; ++R)
      IsRight &= Y(0, Row, R) == expected(M, Row, R);
  return IsRight;
}

/// Shows the lines of the kernels that are not the same; false where none of
/// the second one's has \p Number.
bool show(const Prepared<Conv> &Any, const Prepared<Conv> &Fixed,
          int64_t Number) {
  std::istringstream A(Any.plan().source()), B(Fixed.plan().source());
  bool IsFound = false;
  for (std::string Of, One; std::getline(A, Of) && std::getline(B, One);)
    if (Of != One) {
      std::printf("any time:%s\none time:%s\n", Of.c_str(), One.c_str());
      IsFound |= One.find(" " + std::to_string(Number)) != std::string::npos;
    }
  return IsFound;
}

} // namespace

int main(int Count, char **Arguments) {
  int64_t Time = Count > 1 ? std::atoi(Arguments[1]) : 617;
  Model M;
  Prepared<Conv> Any = prepare(M, {}), Fixed = prepare(M, fixed(Time));
  // The result's rows.
  bool IsRight = show(Any, Fixed, (Time - Window) / Stride + 1);
  IsRight = IsRight && run(M, Any, Time) && run(M, Fixed, Time) &&
            run(M, Any, Window) && run(M, Any, Most) && run(M, Any, Time);
  for (int64_t Row = 0; IsRight && Row < Any.io().y.extents()[1]; ++Row)
    for (int64_t R = 0; R < Results; ++R)
      IsRight &= Any.io().y(0, Row, R) == Fixed.io().y(0, Row, R);
  // Another time is no call of the fixed one.
  IsRight &= !Fixed.execute({.t = Time - 1}).ok();
  std::printf("%s: t = %d, %d of %d bytes\n", IsRight ? "right" : "wrong",
              int(Time), int(Fixed.plan().memory().Arena),
              int(Any.plan().memory().Arena));
  return IsRight ? EXIT_SUCCESS : EXIT_FAILURE;
}
