//===- LazyBundleTest.cpp - tests of lazy bundles without memory ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets each allocation of a layout fail in turn: the next touch must find the
// whole bundle.
//
//===----------------------------------------------------------------------===//
#include "../../lib/HipShim/LazyBundle.h"
#include "../Runtime/ScarceMemory.h"

#include "../Runtime/RuntimeFixture.h"

#include <cstdlib>
#include <new>

using namespace kpack;
using namespace kpack::hipshim;
using kpack::testing::RuntimeFixture;

namespace {

class LazyBundleTest : public RuntimeFixture {
protected:
  static constexpr uint64_t RangeSize = uint64_t(1) << 30;

  Wanted wanted() {
    Marker M;
    M.KernelName = "app";
    M.SearchPaths = {"a.kpack", "b.kpack"};
    return {std::move(M), path("app"), std::nullopt};
  }
  /// The size of all parts; 0: memory was short.
  static uint64_t sizeOf(LazyBundle &Bundle) {
    try {
      (void)Bundle.partAt(0, RangeSize);
    } catch (const std::bad_alloc &) {
      return 0;
    }
    return Bundle.usedSize(RangeSize);
  }
};

TEST_F(LazyBundleTest, LayoutIsRepeatedAfterAFailedAllocation) {
  archive("a.kpack", {{{"app", "gfx906", std::string(9000, 'a')}}});
  archive("b.kpack", {{{"app", "gfx1030", std::string(5000, 'b')}}});
  runtime::DeviceList Gpus;
  uint64_t Size = 0;
  {
    BundleContext Context(runtime::Environment::read());
    LazyBundle Bundle(Context, Gpus, wanted());
    Size = sizeOf(Bundle);
    ASSERT_GE(Size, 14000u);
  }
  int Thrown = 0;
  for (int Allowed = 0;; ++Allowed) {
    BundleContext Context(runtime::Environment::read());
    LazyBundle Bundle(Context, Gpus, wanted());
    Countdown = Allowed;
    uint64_t First = sizeOf(Bundle);
    bool Failed = Countdown < 0;
    Countdown = -1;
    if (!Failed) {
      EXPECT_EQ(First, Size);
      break;
    }
    // An archive that memory was short for may be left out, with a warning.
    if (First != 0)
      continue;
    ++Thrown;
    EXPECT_EQ(sizeOf(Bundle), Size) << "allocation " << Allowed;
  }
  EXPECT_GT(Thrown, 10);
}

} // namespace
