//===- main.cpp - a layer, from its sizes to a result ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layer of ResNet-50, scaled and with a bias and a clamp behind it. First
// what a library asks before it promises anything: which algorithm each GPU
// would get, or why none; that compiles nothing. Then the same layer is
// compiled for this machine, run, and compared with the host reference.
//
//   conv ['conv -n 1 -c 64 -H 14 -W 14 -k 64 -y 3 -x 3 -p 1 -q 1']
//
// Problems are as MIOpenDriver is told them.
//
//===----------------------------------------------------------------------===//
#include <kpack/ConvBuilder/Backend.h>
#include <kpack/ConvBuilder/Describe.h>
#include <kpack/ConvBuilder/MiopenOptions.h>
#include <kpack/ConvBuilder/Reference.h>
#include <kpack/ConvBuilder/ResolveAlgorithm.h>
#include <kpack/ConvBuilder/TensorShape.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace kpack::conv;

namespace {

/// A bias for each channel, then what is below 0 or above 6 is that.
constexpr Signature Layer{
    .spatial_dim = 2,
    .data_type = DataType::FP32,
    .output = {.operation =
                   Operation{ElementwiseOperation::ADD_CLAMP,
                             {AuxiliaryOperand{.layout = TensorLayout::GC}}}}};

[[noreturn]] void fail(const kpack::Status &Why) {
  std::printf("wrong: %s\n", Why.message().c_str());
  std::exit(EXIT_FAILURE);
}

template <typename T> T take(kpack::Result<T> Made) {
  if (!Made)
    fail(Made.status());
  return std::move(*Made);
}

/// The algorithm that each GPU would get, or why it gets none. Microseconds.
void ask(const Problem &Sizes) {
  Algorithm Wanted;
  Wanted.isa = Isa::MFMA;
  for (const char *Gpu : {"gfx90a", "gfx942", "gfx1100"}) {
    Resolved Chosen = resolve(Layer, Wanted, Gpu, Sizes);
    std::string Says =
        Chosen.ok() ? text(Chosen.Algo) : std::string(Chosen.Why.view());
    std::printf("%s: %s\n", Gpu, Says.c_str());
  }
}

/// -1, 0, 1 or 2, so that sums are exact in any order.
std::vector<float> numbers(long long Count, unsigned Seed) {
  std::vector<float> Made(static_cast<size_t>(Count));
  for (float &Each : Made) {
    Seed = Seed * 1664525 + 1013904223;
    Each = static_cast<float>(Seed >> 30) - 1;
  }
  return Made;
}

/// Compiles the kernel, or finds it in a cache, and launches it.
void compute(const Signature &Sig, const Problem &Sizes, const Args &With) {
  Algorithm How;
  How.kind = Kind::DIRECT;
  ConvKernel Kernel =
      take(ConvKernel::compile(Sig, How, std::string(CpuProcessor)));
  std::unique_ptr<Backend> Here = makeCpuBackend();
  std::unique_ptr<LoadedKernel> Loaded = take(Here->load(Kernel));
  KernelLaunch Launch = take(Kernel.launchOf(Sizes, With));
  if (kpack::Status Done = Loaded->launch(Launch); !Done.ok())
    fail(Done);
}

} // namespace

int main(int Count, char **Arguments) {
  Problem Sizes =
      take(parseMiopenOptions(Count > 1 ? Arguments[1]
                                        : "conv -n 1 -c 64 -H 14 -W 14 -k 64 "
                                          "-y 3 -x 3 -p 1 -q 1"))
          .Sizes;
  Report Why = validate(Layer, Sizes);
  if (!Why.ok()) {
    std::printf("wrong: %s\n", std::string(Why.view()).c_str());
    return EXIT_FAILURE;
  }
  ask(Sizes);

  Signature Sig = resolveSignature(Layer);
  auto Make = [&](Role Of, unsigned Seed) {
    return numbers(take(shapeOf(Sig, Sizes, Of)).span(), Seed);
  };
  std::vector<float> X = Make(Role::Input, 1), W = Make(Role::Weight, 2),
                     Y = Make(Role::Output, 3), Expected = Y,
                     Bias = numbers(Sizes.groups * Sizes.k, 4);
  Args With = argsFor(Sig);
  With.input.data = X.data(), With.weight.data = W.data();
  With.output.auxiliary[0].data = Bias.data();
  With.output.params.a = 0, With.output.params.b = 6;

  With.output.data = Y.data();
  compute(Sig, Sizes, With);
  With.output.data = Expected.data();
  if (kpack::Status Done = reference(Sig, Sizes, With); !Done.ok())
    fail(Done);
  std::printf("%s: %zu results, the first one is %g\n",
              Y == Expected ? "right" : "wrong", Y.size(),
              static_cast<double>(Y[0]));
  return Y == Expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
