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

/// The memory of a case on a device.
class DeviceTensors {
public:
  DeviceTensors(Backend &On, const ConvCase &Case) : On(On), Case(Case) {
    for (const TensorBytes &Each : Case.Memory) {
      Result<void *> Made = On.allocate(Each.size());
      EXPECT_TRUE(Made.ok());
      At.push_back(*Made);
      EXPECT_TRUE(On.upload(*Made, Each.data(), Each.size()).ok());
    }
  }
  ~DeviceTensors() {
    for (const std::vector<void *> *All : {&At, &Lent})
      for (void *Each : *All)
        On.release(Each);
  }
  /// More of the device's memory, with what nobody may rely on.
  void *lend(size_t Bytes) {
    Result<void *> Made = On.allocate(Bytes);
    EXPECT_TRUE(Made.ok());
    Lent.push_back(*Made);
    TensorBytes Any(Bytes, std::byte{0x7f});
    EXPECT_TRUE(On.upload(*Made, Any.data(), Bytes).ok());
    return *Made;
  }
  Args args() const { return Case.argsAt(At); }
  TensorBytes result() const {
    TensorBytes Made(Case.Memory[Case.result()].size());
    EXPECT_TRUE(On.download(Made.data(), At[Case.result()], Made.size()).ok());
    return Made;
  }

private:
  Backend &On;
  const ConvCase &Case;
  std::vector<void *> At, Lent;
};

/// Into \p To, so that it can end at the first failure.
void run(Backend &On, const ConvCase &Case, const Algorithm &How,
         TensorBytes &To) {
  Result<ConvKernel> Kernel =
      ConvKernel::compile(Case.Sig, How, On.processor(), testOptions());
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
  Result<std::unique_ptr<LoadedKernel>> Loaded = On.load(*Kernel);
  ASSERT_TRUE(Loaded.ok()) << Loaded.status().message();
  DeviceTensors Tensors(On, Case);
  long long Bytes = workspaceBytes(Case.Sig, Kernel->lowered(), Case.P);
  Args With = Tensors.args();
  With.workspace = Tensors.lend(static_cast<size_t>(Bytes));
  Result<KernelLaunch> Launch = Kernel->launchOf(Case.P, With);
  ASSERT_TRUE(Launch.ok()) << Launch.status().message();
  Status Done = (*Loaded)->launch(*Launch);
  ASSERT_TRUE(Done.ok()) << Done.message() << " in " << Case.text();
  To = Tensors.result();
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
    EXPECT_EQ(Case.compareNearly(Made, Ulps), "");
  else
    EXPECT_EQ(Case.compare(Case.expected(), Made), "");
}
