//===- ProgramOutputTest.cpp - tests of captured output -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/ProgramOutput.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace kpack;

static std::optional<std::string> outputOf(std::string Script,
                                           int Milliseconds = -1) {
  return programOutput({"/bin/sh", "-c", std::move(Script)}, Milliseconds);
}

TEST(ProgramOutput, IsTheStandardOutputAlone) {
  EXPECT_EQ(outputOf("echo one; echo message >&2; echo two"), "one\ntwo\n");
  EXPECT_EQ(outputOf("cat"), "");
}

TEST(ProgramOutput, IsNothingAfterAFailure) {
  EXPECT_EQ(outputOf("echo one; exit 3"), std::nullopt);
  EXPECT_EQ(outputOf("echo one; kill -9 $$"), std::nullopt);
  EXPECT_EQ(programOutput({"/nonexistent/program"}), std::nullopt);
}

TEST(ProgramOutput, OutputIsLimited) {
  std::optional<std::string> Output = outputOf("head -c 2000000 /dev/zero");
  ASSERT_TRUE(Output);
  EXPECT_EQ(Output->size(), 1u << 20);
}

TEST(ProgramOutput, EndsAProgramThatTakesTooLong) {
  auto Before = std::chrono::steady_clock::now();
  EXPECT_EQ(outputOf("echo one; exec sleep 600", 100), std::nullopt);
  EXPECT_LT(std::chrono::steady_clock::now() - Before,
            std::chrono::seconds(300));
}
