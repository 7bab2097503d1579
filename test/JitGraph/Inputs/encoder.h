// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a graph, and what takes it in two phases.
#include <kpack/JitGraph/InterfaceOf.h>
using namespace kpack::jit;
template <class P> struct Encoder {
  In<P, float> mel{};
  In<P, std::int32_t> lengths{};
  Out<P, float> encoded{};
  Var<P, 1, 8> b{};
  Var<P, 1, 3000> t{};
};
inline void prepare(const Encoder<Spec> &) {}
inline void execute(const Encoder<Bind> &) {}
