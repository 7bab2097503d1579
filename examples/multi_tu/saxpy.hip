// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of two translation units of one program; each has its own code objects.
#include "../hip_subset.h"

__global__ void saxpy(float A, const float *X, float *Y, int N) {
  int I = __builtin_amdgcn_workgroup_id_x() * 256 +
          __builtin_amdgcn_workitem_id_x();
  if (I < N)
    Y[I] = A * X[I] + Y[I];
}

void runSaxpy(float A, const float *X, float *Y, int N) {
  saxpy<<<dim3((N + 255) / 256), dim3(256)>>>(A, X, Y, N);
}
