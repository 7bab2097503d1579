// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template kernel with a __constant__ table, a __device__ counter, static LDS
// and two streams; each instantiation is a kernel of its own in the archive.
#include "histogram.h"

#include "check.h"

__constant__ uint32_t Weights[4];
__device__ uint32_t BlocksRun;

namespace {
constexpr int BlockSize = 256;

template <typename T>
__global__ void reduce(const T *Values, int N, T *BlockSums) {
  __shared__ T Local[BlockSize];
  int I = blockIdx.x * BlockSize + threadIdx.x;
  Local[threadIdx.x] = I < N ? Values[I] * T(Weights[I % 4]) : T(0);
  for (int Width = BlockSize / 2; Width; Width /= 2) {
    __syncthreads();
    if (threadIdx.x < Width)
      Local[threadIdx.x] += Local[threadIdx.x + Width];
  }
  if (threadIdx.x == 0) {
    BlockSums[blockIdx.x] = Local[0];
    atomicAdd(&BlocksRun, 1u);
  }
}

/// One half of the values on a stream of its own.
template <typename T> struct Half {
  hipStream_t Stream = nullptr;
  T *Values = nullptr, *Sums = nullptr;
  std::vector<T> BlockSums;

  void start(const T *From, int N) {
    const int Blocks = (N + BlockSize - 1) / BlockSize;
    BlockSums.resize(Blocks);
    CHECK_HIP(hipStreamCreate(&Stream));
    CHECK_HIP(hipMalloc(&Values, N * sizeof(T)));
    CHECK_HIP(hipMalloc(&Sums, Blocks * sizeof(T)));
    CHECK_HIP(hipMemcpyAsync(Values, From, N * sizeof(T), hipMemcpyHostToDevice,
                             Stream));
    reduce<T><<<Blocks, BlockSize, 0, Stream>>>(Values, N, Sums);
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipMemcpyAsync(BlockSums.data(), Sums, Blocks * sizeof(T),
                             hipMemcpyDeviceToHost, Stream));
  }
  T finish() {
    CHECK_HIP(hipStreamSynchronize(Stream));
    CHECK_HIP(hipStreamDestroy(Stream));
    CHECK_HIP(hipFree(Values));
    CHECK_HIP(hipFree(Sums));
    T Sum = 0;
    for (T BlockSum : BlockSums)
      Sum += BlockSum;
    return Sum;
  }
};
} // namespace

template <typename T> T weightedSum(const std::vector<T> &Values) {
  const uint32_t HostWeights[4] = {1, 10, 100, 1000};
  CHECK_HIP(
      hipMemcpyToSymbol(HIP_SYMBOL(Weights), HostWeights, sizeof(HostWeights)));
  // Halves begin at a multiple of 4, so that the weights continue.
  const int N = int(Values.size()), First = N / 2 / 4 * 4;
  Half<T> Front, Back;
  Front.start(Values.data(), First);
  Back.start(Values.data() + First, N - First);
  return Front.finish() + Back.finish();
}

template uint32_t weightedSum(const std::vector<uint32_t> &);
template uint64_t weightedSum(const std::vector<uint64_t> &);
template double weightedSum(const std::vector<double> &);

uint32_t blocksRun() {
  uint32_t Value = 0;
  CHECK_HIP(hipMemcpyFromSymbol(&Value, HIP_SYMBOL(BlocksRun), sizeof(Value)));
  return Value;
}
