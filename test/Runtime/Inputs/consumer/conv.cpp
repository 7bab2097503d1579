// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signature that is printed and read, and planned for, in a program outside of
// kpack's tree.
#include <kpack/ConvBuilder/Context.h>

#include <cstdio>

using namespace kpack::conv;

int main() {
  constexpr Signature Sig{.spatial_dim = 2, .data_type = DataType::FP16};
  kpack::Result<Signature> Read = parse<Signature>(text(Sig));
  if (!Read || !(*Read == Sig))
    return 1;
  kpack::Result<Context> In = Context::create(makeCpuBackend());
  Problem Sizes{.c = 2, .k = 2, .image = {4, 4}, .filter = {3, 3}};
  if (!In || !In->plan(*Read, Sizes))
    return 1;
  return std::printf("conv: %s\n", describe(*Read).c_str()) < 0;
}
