// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The client: no device code, no HIP, no marker.
#include "filter.h"

#include <cstdio>

int main() {
  std::vector<int> Values(1000);
  for (int I = 0; I != 1000; ++I)
    Values[I] = I * I % 97;
  std::vector<int> Result = smooth(Values);
  for (int I = 0; I != 1000; ++I) {
    int Expected = (I ? Values[I - 1] : 0) + Values[I] +
                   (I + 1 < 1000 ? Values[I + 1] : 0);
    if (Result[I] != Expected) {
      std::printf("element %d is %d, expected %d\n", I, Result[I], Expected);
      return 1;
    }
  }
  std::printf("1000 elements right\n");
  return 0;
}
