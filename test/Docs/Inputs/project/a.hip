// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel, one launch: the smallest program of the tour.
//
//   hipcc --offload-arch=gfx90a --offload-arch=gfx1030 \
//         --emit-kpack=output.kpack --emit-host-only=output.exe vector_add.hip
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void vectorAdd(const float *A, const float *B, float *C, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    C[I] = A[I] + B[I];
}

static bool check(hipError_t Err, const char *What) {
  if (Err == hipSuccess)
    return true;
  std::printf("%s: error %d (%s)\n", What, Err, hipGetErrorString(Err));
  return false;
}

int main() {
  int Devices = 0;
  if (!check(hipGetDeviceCount(&Devices), "hipGetDeviceCount"))
    return 0; // no GPU here: the program starts, which is all it can do

  const int N = 5000;
  static float A[N], B[N], C[N];
  for (int I = 0; I != N; ++I) {
    A[I] = float(I);
    B[I] = 2.0f;
  }
  const size_t Bytes = N * sizeof(float);
  float *DeviceA, *DeviceB, *DeviceC;
  if (!check(hipMalloc(&DeviceA, Bytes), "hipMalloc") ||
      !check(hipMalloc(&DeviceB, Bytes), "hipMalloc") ||
      !check(hipMalloc(&DeviceC, Bytes), "hipMalloc"))
    return 1;
  if (!check(hipMemcpy(DeviceA, A, Bytes, hipMemcpyHostToDevice),
             "hipMemcpy") ||
      !check(hipMemcpy(DeviceB, B, Bytes, hipMemcpyHostToDevice),
             "hipMemcpy"))
    return 1;
  vectorAdd<<<(N + 255) / 256, 256>>>(DeviceA, DeviceB, DeviceC, N);
  if (!check(hipGetLastError(), "launch") ||
      !check(hipMemcpy(C, DeviceC, Bytes, hipMemcpyDeviceToHost),
             "hipMemcpy"))
    return 1;
  for (int I = 0; I != N; ++I)
    if (C[I] != float(I) + 2.0f) {
      std::printf("element %d is %f, expected %d\n", I, C[I], I + 2);
      return 1;
    }
  std::printf("%d elements right\n", N);
  return 0;
}
