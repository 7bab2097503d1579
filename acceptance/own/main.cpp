//===- main.cpp - of the programs with tests of HIP -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each program is some files with tests, the kernels and this one.
//
//===----------------------------------------------------------------------===//
#include "Helper.h"

#include <gtest/gtest.h>

int main(int Count, char **Words) {
  testing::InitGoogleTest(&Count, Words);
  own::startHelpers();
  return RUN_ALL_TESTS();
}
