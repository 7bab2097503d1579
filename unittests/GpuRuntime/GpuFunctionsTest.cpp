//===- GpuFunctionsTest.cpp - tests of HIP and CUDA functions by name -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GpuRuntime/GpuFunctions.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

using namespace kpack;

namespace {

int Something;

/// A library that has all functions but some, and what was asked of it.
struct FakeLibrary {
  std::set<std::string> Lacks;
  std::multiset<std::string> Asked;

  GpuFunctions load(GpuKind Kind) {
    return GpuFunctions::load(Kind, [&](const char *Name) -> void * {
      Asked.insert(Name);
      return Lacks.count(Name) ? nullptr : &Something;
    });
  }
};

std::string missing(GpuKind Kind, std::set<std::string> Lacks, unsigned Users) {
  const char *Name =
      FakeLibrary{std::move(Lacks), {}}.load(Kind).firstMissing(Users);
  return Name ? Name : "";
}

TEST(GpuFunctionsTest, EachNameIsAskedForOnce) {
  for (GpuKind Kind : {GpuKind::Hip, GpuKind::Cuda}) {
    FakeLibrary Library;
    GpuFunctions F = Library.load(Kind);
    EXPECT_EQ(F.firstMissing(ForAll), nullptr);
    EXPECT_GT(Library.Asked.size(), 30u);
    for (const std::string &Name : Library.Asked) {
      EXPECT_EQ(Library.Asked.count(Name), 1u) << Name;
      EXPECT_EQ(Name.rfind(Kind == GpuKind::Hip ? "hip" : "cu", 0), 0u) << Name;
    }
  }
}

TEST(GpuFunctionsTest, NamesMissingFunctionsOfAFeature) {
  EXPECT_EQ(missing(GpuKind::Hip, {"hipModuleUnload"}, ForModules),
            "hipModuleUnload");
  EXPECT_EQ(missing(GpuKind::Hip, {"hipModuleUnload"}, ForMemory | ForGraphs),
            "");
  EXPECT_EQ(
      missing(GpuKind::Hip, {"hipGraphLaunch", "hipGraphCreate"}, ForGraphs),
      "hipGraphCreate");
  EXPECT_EQ(missing(GpuKind::Hip, {"hipGraphCreate"}, ForModules | ForMemory),
            "");
  EXPECT_EQ(missing(GpuKind::Hip, {"hipMalloc"}, ForMemory), "hipMalloc");
  EXPECT_EQ(missing(GpuKind::Hip, {"hipMalloc"}, ForGraphs), "hipMalloc");
  EXPECT_EQ(missing(GpuKind::Hip, {"hipMalloc"}, ForModules), "");
  for (unsigned Users : {ForModules, ForGraphs})
    EXPECT_EQ(missing(GpuKind::Hip, {"hipModuleLaunchKernel"}, Users),
              "hipModuleLaunchKernel");
  for (unsigned Users : {ForModules, ForMemory, ForGraphs})
    EXPECT_EQ(missing(GpuKind::Hip, {"hipSetDevice"}, Users), "hipSetDevice");
  EXPECT_EQ(missing(GpuKind::Cuda, {"cuGraphLaunch"}, ForGraphs),
            "cuGraphLaunch");
  EXPECT_EQ(missing(GpuKind::Cuda, {"cuGraphLaunch"}, ForModules), "");
  for (unsigned Users : {ForModules, ForMemory, ForGraphs})
    EXPECT_EQ(missing(GpuKind::Cuda, {"cuDeviceGetCount"}, Users),
              "cuDeviceGetCount"); // the current device is found by it
  // The other runtime's function is not looked at.
  EXPECT_EQ(missing(GpuKind::Cuda, {"hipSetDevice"}, ForAll), "");
}

// Launches are captured by HIP itself, and addresses are not checked.
TEST(GpuFunctionsTest, OptionalFunctionsMayBeMissing) {
  EXPECT_EQ(
      missing(GpuKind::Hip,
              {"hipRuntimeGetVersion", "hipStreamGetCaptureInfo_v2",
               "hipStreamUpdateCaptureDependencies", "hipMemGetAddressRange"},
              ForAll),
      "");
  EXPECT_EQ(missing(GpuKind::Hip,
                    {"hipPointerGetAttributes", "hipGetLastError",
                     "hipGraphAddKernelNode"},
                    ForModules),
            "");
  EXPECT_EQ(missing(GpuKind::Cuda,
                    {"cuPointerGetAttribute", "cuMemGetAddressRange_v2"},
                    ForModules),
            "");
}

TEST(GpuFunctionsTest, OneFunctionForPropertiesIsEnough) {
  EXPECT_EQ(missing(GpuKind::Hip, {"hipGetDeviceProperties"}, ForModules), "");
  EXPECT_EQ(missing(GpuKind::Hip, {"hipGetDevicePropertiesR0600"}, ForModules),
            "");
  EXPECT_EQ(missing(GpuKind::Hip,
                    {"hipGetDeviceProperties", "hipGetDevicePropertiesR0600"},
                    ForModules),
            "hipGetDeviceProperties");
}

} // namespace
