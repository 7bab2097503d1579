// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph that doubles what it gets, in a program outside of kpack's tree.
#include <kpack/JitGraph/Recurrent.h>

#include <cstdio>

using namespace kpack;
using namespace kpack::jit;

template <class P> struct Double {
  In<P, float> x{};
  Out<P, float> y{};
  Var<P, 1, 100> t{};
};

int main() {
  auto Twice = graph<Double>(0, [](const int &, Double<Trace> &Io) {
    OpGraph &G = *Io.x.graph();
    Io.y = Tensor<float>(&G, G.add({.Kind = OpKind::Add, .Shape = {Io.t}, .Operands = {Io.x.id(), Io.x.id()}}));
  });
  constexpr Double<Names> D = InterfaceOf<Double>::positions();
  auto G = Twice.prepare({.x = {D.t}});
  if (!G) {
    std::fprintf(stderr, "%s\n", G.status().message().c_str());
    return 1;
  }
  float Mine[] = {1, 2, 3};
  Status S = G->execute({.x = Mine, .t = 3});
  View<const float> Y = G->io().y;
  std::printf("graph: %g %g %g\n", Y(0), Y(1), Y(2));
  return S.ok() ? 0 : 1;
}
