//===- LocalScopeTest.cpp - tests of runtimes loaded with RTLD_LOCAL ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LocalUser.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

using namespace kpack;

namespace {

class LocalScopeTest : public testing::Test {
protected:
  void SetUp() override {
    void *Library = ::dlopen(GPU_LOCAL_USER, RTLD_LAZY | RTLD_LOCAL);
    ASSERT_TRUE(Library) << ::dlerror();
    ASSERT_FALSE(::dlsym(RTLD_DEFAULT, "hipModuleLaunchKernel"));
    void *Find = ::dlsym(Library, "localFindings");
    ASSERT_TRUE(Find);
    reinterpret_cast<LocalFindingsFunction *>(Find)(Found);
  }

  LocalFindings Found;
};

TEST_F(LocalScopeTest, FunctionsAreFound) {
  EXPECT_TRUE(Found.HasHip);
  EXPECT_EQ(Found.HipDevice, 5);
  EXPECT_TRUE(Found.HasCuda);
  EXPECT_EQ(Found.CudaInit, 42);
  EXPECT_TRUE(Found.KeepsDlerror);
}

// Libraries that are loaded later would not find it.
TEST_F(LocalScopeTest, HipIsNotExposed) { EXPECT_FALSE(Found.IsExposed); }

TEST_F(LocalScopeTest, HipNeedNotKnowTargets) {
  EXPECT_EQ(Found.TargetCode, 0);
  EXPECT_FALSE(Found.HasTarget);
  EXPECT_EQ(Found.Facts.Reach, AddressFacts::Unknown);
}

} // namespace
