// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/hip_runtime.h>

__global__ void scale(float *Values, float Factor) { Values[threadIdx.x] *= Factor; }

void scaleAll(float *Values) { scale<<<1, 64>>>(Values, 2.0f); }
