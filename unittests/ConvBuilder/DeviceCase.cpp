//===- DeviceCase.cpp - cases of convolutions on devices ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "DeviceCase.h"

#include "kpack/ConvBuilder/SoftGpu/SoftGpuBackend.h"

#include <cstdlib>
#include <filesystem>
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
  std::vector<TensorBytes> Memory = Case.Memory;
  Status Done = callOnce(On, *Kernel, Case.Sig, Case.P, Case.Numbers, Memory);
  ASSERT_TRUE(Done.ok()) << Done.message() << " in " << Case.text();
  To = std::move(Memory[Case.result()]);
}

} // namespace

std::unique_ptr<Backend> conv::backendOf(const std::string &Processor) {
  if (Processor == CpuProcessor)
    return makeCpuBackend();
  Result<std::unique_ptr<Backend>> Made = makeSoftGpuBackend(Processor);
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
