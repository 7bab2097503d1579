// A library that computes on a GPU what its C function is asked for. It says
// nothing by itself: the numbers are for its caller to look at.
#include "../../../../examples/hip_subset.h"

__global__ void axpyKernel(float A, const float *X, float *Y, int N) {
  int I = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (I < N)
    Y[I] = A * X[I] + Y[I];
}

/// Y becomes A * X + Y; the result is HIP's error.
extern "C" int axpy(float A, const float *X, float *Y, int N) {
  size_t Bytes = N * sizeof(float);
  void *Device = nullptr;
  if (hipError_t Error = hipMalloc(&Device, 2 * Bytes))
    return Error;
  float *DeviceX = static_cast<float *>(Device), *DeviceY = DeviceX + N;
  if (hipError_t Error = hipMemcpy(DeviceX, X, Bytes, hipMemcpyHostToDevice))
    return Error;
  if (hipError_t Error = hipMemcpy(DeviceY, Y, Bytes, hipMemcpyHostToDevice))
    return Error;
  axpyKernel<<<dim3((N + 63) / 64), dim3(64)>>>(A, DeviceX, DeviceY, N);
  if (hipError_t Error = hipGetLastError())
    return Error;
  return hipMemcpy(Y, DeviceY, Bytes, hipMemcpyDeviceToHost);
}
