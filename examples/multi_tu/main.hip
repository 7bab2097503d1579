// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other translation unit: a kernel of its own and the host program.
#include "../hip_subset.h"

#include <cstdio>

void runSaxpy(float A, const float *X, float *Y, int N);

__global__ void fill(float *Out, float Value, int N) {
  int I = __builtin_amdgcn_workgroup_id_x() * 256 +
          __builtin_amdgcn_workitem_id_x();
  if (I < N)
    Out[I] = Value;
}

int main() {
  int Devices = 0;
  if (hipError_t Err = hipGetDeviceCount(&Devices)) {
    std::printf("hipGetDeviceCount: error %d (%s)\n", Err,
                hipGetErrorString(Err));
    return 0;
  }
  const int N = 1000;
  void *X, *Y;
  if (hipMalloc(&X, N * sizeof(float)) || hipMalloc(&Y, N * sizeof(float)))
    return 1;
  fill<<<dim3((N + 255) / 256), dim3(256)>>>(static_cast<float *>(X), 2.0f, N);
  fill<<<dim3((N + 255) / 256), dim3(256)>>>(static_cast<float *>(Y), 1.0f, N);
  runSaxpy(3.0f, static_cast<float *>(X), static_cast<float *>(Y), N);
  static float Result[N];
  if (hipGetLastError() ||
      hipMemcpy(Result, Y, N * sizeof(float), hipMemcpyDeviceToHost))
    return 1;
  for (float Value : Result)
    if (Value != 7.0f)
      return 1;
  std::printf("%d elements right\n", N);
  return 0;
}
