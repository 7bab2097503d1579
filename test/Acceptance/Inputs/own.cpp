// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two programs in one: test_commands, which is told how to start others, and what
// is started with emulated GPUs, which is not.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

TEST(Program, IsStartedAsItsNameSays) {
  auto Self = std::filesystem::canonical("/proc/self/exe").filename();
  const char *How = std::getenv("ACCEPT_RUN");
  EXPECT_EQ(How != nullptr, Self == "test_commands");
  if (How)
    EXPECT_NE(std::string(How).find(" --gpu=gfx"), std::string::npos) << How;
}
