// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A suite of a test for each way in which one can end.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

TEST(Good, One) {}
TEST(Good, Two) {}
TEST(Bad, Fails) { EXPECT_EQ(1, 2) << "one is not two"; }
TEST(Bad, Crashes) {
  std::fprintf(stderr, "the last word\n");
  std::raise(SIGSEGV);
}
TEST(Bad, Fault) {
  std::fprintf(stderr, "kpack-run: error: add(int*): memory access fault\n");
}
TEST(Bad, Hangs) { pause(); }
TEST(Bad, Lacks) {
  std::fprintf(stderr, "kpack-run: error: copy: instruction without semantics "
                       "at +0x0 'image_load v0, v1', workgroup 0\n");
  std::abort();
}
TEST(Long, Computes) {
  for (volatile int I = 0;; I = I + 1)
    ;
}
TEST(Long, Skips) { GTEST_SKIP(); }
TEST(Long, DISABLED_Never) { std::abort(); }
class Numbers : public testing::TestWithParam<int> {};
TEST_P(Numbers, Odd) { EXPECT_NE(GetParam(), 4); }
// One GPU has a test more: the launcher of accept.test sets the variable.
INSTANTIATE_TEST_SUITE_P(All, Numbers,
                         testing::Range(0, std::getenv("MORE") ? 9 : 8));
