// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A histogram: counted in dynamic LDS by each block, added up with atomics.
#include "histogram.h"

#include "check.h"

namespace {
__global__ void count(const uint32_t *Values, int N, uint32_t *Counts,
                      int Bins) {
  extern __shared__ uint32_t Local[];
  for (int Bin = threadIdx.x; Bin < Bins; Bin += blockDim.x)
    Local[Bin] = 0;
  __syncthreads();
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x)
    atomicAdd(&Local[Values[I] % Bins], 1u);
  __syncthreads();
  for (int Bin = threadIdx.x; Bin < Bins; Bin += blockDim.x)
    atomicAdd(&Counts[Bin], Local[Bin]);
}
} // namespace

std::vector<uint32_t> histogram(const std::vector<uint32_t> &Values, int Bins) {
  const size_t Bytes = Values.size() * sizeof(uint32_t);
  const size_t CountBytes = Bins * sizeof(uint32_t);
  uint32_t *DeviceValues = nullptr, *Counts = nullptr;
  CHECK_HIP(hipMalloc(&DeviceValues, Bytes));
  CHECK_HIP(hipMalloc(&Counts, CountBytes));
  CHECK_HIP(
      hipMemcpy(DeviceValues, Values.data(), Bytes, hipMemcpyHostToDevice));
  CHECK_HIP(hipMemset(Counts, 0, CountBytes));
  count<<<5, 128, CountBytes>>>(DeviceValues, int(Values.size()), Counts, Bins);
  CHECK_HIP(hipGetLastError());
  std::vector<uint32_t> Result(Bins);
  CHECK_HIP(
      hipMemcpy(Result.data(), Counts, CountBytes, hipMemcpyDeviceToHost));
  CHECK_HIP(hipFree(DeviceValues));
  CHECK_HIP(hipFree(Counts));
  return Result;
}
