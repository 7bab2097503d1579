// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel, one launch: the smallest program of the tour.
//
//   hipcc --offload-arch=gfx1100 --offload-arch=gfx1101 \
//         --emit-kpack=output.kpack --emit-host-only=output.exe vector_add.hip
//
// Uses the few declarations of ../hip_subset.h instead of <hip/hip_runtime.h>,
// so that it compiles with any clang and no ROCm headers.
#include "../hip_subset.h"

#include <cstdio>

__global__ void vectorAdd(const float *A, const float *B, float *C, int N) {
  int I = __builtin_amdgcn_workgroup_id_x() * 256 +
          __builtin_amdgcn_workitem_id_x();
  if (I < N)
    C[I] = A[I] + B[I];
}

static bool check(hipError_t Err, const char *What) {
  if (Err == 0)
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
  size_t Bytes = N * sizeof(float);
  void *DeviceA, *DeviceB, *DeviceC;
  if (!check(hipMalloc(&DeviceA, Bytes), "hipMalloc") ||
      !check(hipMalloc(&DeviceB, Bytes), "hipMalloc") ||
      !check(hipMalloc(&DeviceC, Bytes), "hipMalloc"))
    return 1;
  hipMemcpy(DeviceA, A, Bytes, hipMemcpyHostToDevice);
  hipMemcpy(DeviceB, B, Bytes, hipMemcpyHostToDevice);
  vectorAdd<<<dim3((N + 255) / 256), dim3(256)>>>(
      static_cast<float *>(DeviceA), static_cast<float *>(DeviceB),
      static_cast<float *>(DeviceC), N);
  if (!check(hipGetLastError(), "launch") ||
      !check(hipMemcpy(C, DeviceC, Bytes, hipMemcpyDeviceToHost), "hipMemcpy"))
    return 1;
  for (int I = 0; I != N; ++I)
    if (C[I] != float(I) + 2.0f) {
      std::printf("element %d is %f, expected %d\n", I, C[I], I + 2);
      return 1;
    }
  std::printf("%d elements right\n", N);
  return 0;
}
