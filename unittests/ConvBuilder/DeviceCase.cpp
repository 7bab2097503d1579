//===- DeviceCase.cpp - assertions on convolutions on devices -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "DeviceCase.h"
#include "DeviceRun.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// Into \p Output, so that it can end at the first failure.
void run(Backend &On, const ConvCase &Case, const Algorithm &Algo,
         TensorBytes &Output) {
  Result<ConvKernel> Kernel =
      ConvKernel::compile(Case.Sig, Algo, On.processor(), testOptions());
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
  Result<TensorBytes> Computed = runOn(On, *Kernel, Case);
  ASSERT_TRUE(Computed.ok())
      << Computed.status().message() << " in " << Case.text();
  Output = std::move(*Computed);
}

} // namespace

bool conv::allAreAsked() {
  const char *Asked = std::getenv("KPACK_CONV_COMPILED");
  return Asked && std::string_view(Asked) == "all";
}

bool conv::isAsked(size_t I, size_t Step) {
  return I % Step == 0 || allAreAsked();
}

Algorithm conv::makeGemm(Isa In, const MNK &Tile, const WaveTile &Wave) {
  Algorithm Algo;
  Algo.kind = Kind::IMPLICIT_GEMM;
  Algo.isa = In;
  Algo.tile = Tile;
  if (In == Isa::VALU)
    Algo.thread.make().m1 = Algo.thread.make().n1 = 2;
  else
    Algo.wave = Wave;
  return Algo;
}

std::unique_ptr<Backend> conv::chooseBackend(const std::string &Processor) {
  Result<std::unique_ptr<Backend>> Created = makeBackend(Processor);
  EXPECT_TRUE(Created.ok()) << Created.status().message();
  return Created ? std::move(*Created) : nullptr;
}

TensorBytes conv::runOn(Backend &On, const ConvCase &Case,
                        const Algorithm &Algo) {
  TensorBytes Computed;
  run(On, Case, Algo, Computed);
  return Computed;
}

void conv::check(Backend &On, const ConvCase &Case, const Algorithm &Algo,
                 double Ulps) {
  TensorBytes Computed;
  ASSERT_NO_FATAL_FAILURE(run(On, Case, Algo, Computed));
  if (Ulps != 0)
    EXPECT_EQ(Case.compareNearly(Computed, {{}, Ulps}), "");
  else
    EXPECT_EQ(Case.compare(Case.expected(), Computed), "");
}
