//===- DependencyFileTest.cpp - tests of lld's dependency file ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DependencyFile.h"

#include <gtest/gtest.h>

using namespace kpack::linker;

namespace {

TEST(DependencyFile, RoundTrip) {
  std::vector<std::string> Inputs = {"a.o", "the lib.o", "x#y$z.a"};
  std::string Text = formatDependencies("out put", Inputs);
  EXPECT_EQ(Text, "out put: \\\n a.o \\\n the\\ lib.o \\\n x\\#y$$z.a\n"
                  "\na.o:\n\nthe\\ lib.o:\n\nx\\#y$$z.a:\n");
  EXPECT_EQ(parseDependencies(Text), Inputs);
}

TEST(DependencyFile, EmptyLinkHasNoDependencies) {
  EXPECT_EQ(formatDependencies("x", {}), "x:\n");
  EXPECT_TRUE(parseDependencies("x:\n").empty());
  EXPECT_TRUE(parseDependencies("").empty());
}

} // namespace
