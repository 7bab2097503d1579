// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host program: every result is compared with the same sum on the CPU.
// The doubles are small integers, so that their sum does not depend on order.
#include "histogram.h"

#include <cstdio>

static bool Good = true;

static void expect(bool Right, const char *What) {
  std::printf("%-24s %s\n", What, Right ? "right" : "WRONG");
  Good = Good && Right;
}

template <typename T> static bool sumIsRight(int N) {
  std::vector<T> Values(N);
  T Expected = 0;
  const uint32_t Weights[4] = {1, 10, 100, 1000};
  for (int I = 0; I != N; ++I) {
    Values[I] = T((I * 7919) % 1009);
    Expected += Values[I] * T(Weights[I % 4]);
  }
  return weightedSum(Values) == Expected;
}

int main() {
  std::vector<uint32_t> Values(10007);
  const int Bins = 37;
  std::vector<uint32_t> Expected(Bins);
  for (size_t I = 0; I != Values.size(); ++I) {
    Values[I] = uint32_t(I * I * 2654435761u);
    ++Expected[Values[I] % Bins];
  }
  expect(histogram(Values, Bins) == Expected, "histogram");
  expect(sumIsRight<uint32_t>(5000), "sum of 32-bit integers");
  expect(sumIsRight<uint64_t>(3001), "sum of 64-bit integers");
  expect(sumIsRight<double>(2222), "sum of doubles");
  // 2500 (twice), 1500 + 1501 and 1108 + 1114 values, in blocks of 256.
  expect(blocksRun() == 10 + 10 + 6 + 6 + 5 + 5, "blocks that have run");
  return Good ? 0 : 1;
}
