// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signature that is printed and read, in a program outside of kpack's tree.
#include <kpack/ConvBuilder/Describe.h>

#include <cstdio>

using namespace kpack::conv;

int main() {
  constexpr Signature Sig{.spatial_dim = 2, .data_type = DataType::FP16};
  kpack::Result<Signature> Read = parse<Signature>(text(Sig));
  if (!Read || !(*Read == Sig))
    return 1;
  return std::printf("conv: %s\n", describe(*Read).c_str()) < 0;
}
