//===- DeviceCase.cpp - cases of convolutions on devices ------------------===//
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

/// Into \p To, so that it can end at the first failure.
void run(Backend &On, const ConvCase &Case, const Algorithm &How,
         TensorBytes &To) {
  Result<ConvKernel> Kernel =
      ConvKernel::compile(Case.Sig, How, On.processor(), testOptions());
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
  Result<TensorBytes> Made = runOn(On, *Kernel, Case);
  ASSERT_TRUE(Made.ok()) << Made.status().message() << " in " << Case.text();
  To = std::move(*Made);
}

} // namespace

bool conv::allAreAsked() {
  const char *Asked = std::getenv("KPACK_CONV_COMPILED");
  return Asked && std::string_view(Asked) == "all";
}

bool conv::isAsked(size_t I, size_t Step) {
  return I % Step == 0 || allAreAsked();
}

Algorithm conv::gemmOf(Isa In, const MNK &Tile, const WaveTile &Wave) {
  Algorithm How;
  How.kind = Kind::IMPLICIT_GEMM;
  How.isa = In;
  How.tile = Tile;
  if (In == Isa::VALU)
    How.thread.make().m1 = How.thread.make().n1 = 2;
  else
    How.wave = Wave;
  return How;
}

std::unique_ptr<Backend> conv::backendOf(const std::string &Processor) {
  Result<std::unique_ptr<Backend>> Made = makeBackend(Processor);
  EXPECT_TRUE(Made.ok()) << Made.status().message();
  return Made ? std::move(*Made) : nullptr;
}

TensorBytes conv::runOn(Backend &On, const ConvCase &Case,
                        const Algorithm &How) {
  TensorBytes Made;
  run(On, Case, How, Made);
  return Made;
}

void conv::check(Backend &On, const ConvCase &Case, const Algorithm &How,
                 double Ulps) {
  TensorBytes Made;
  ASSERT_NO_FATAL_FAILURE(run(On, Case, How, Made));
  if (Ulps != 0)
    EXPECT_EQ(Case.compareNearly(Made, {{}, Ulps}), "");
  else
    EXPECT_EQ(Case.compare(Case.expected(), Made), "");
}
