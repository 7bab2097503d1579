// What Debian's own compiler makes of a HIP program: a template kernel,
// constant memory, a device variable, dynamic LDS, atomics, malloc() and printf()
// in a kernel.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <vector>

__constant__ int Factor;
__device__ unsigned Launches;

template <typename T> __global__ void sumBlocks(const T *In, T *Out) {
  extern __shared__ int Part[];
  unsigned I = threadIdx.x;
  Part[I] = In[blockIdx.x * blockDim.x + I] * Factor;
  __syncthreads();
  for (unsigned Half = blockDim.x / 2; Half; Half /= 2) {
    if (I < Half)
      Part[I] += Part[I + Half];
    __syncthreads();
  }
  if (I == 0) {
    atomicAdd(Out, Part[0]);
    atomicAdd(&Launches, 1u);
  }
}

/// A list of its own for each thread, in memory of the device's heap.
__global__ void sumLists(int *Out) {
  struct Node {
    Node *Next;
    int Value;
  } *List = nullptr;
  for (int I = 0; I < 8; ++I) {
    auto *N = static_cast<Node *>(malloc(sizeof(Node) + 16 * I));
    N->Next = List;
    N->Value = threadIdx.x + I;
    List = N;
  }
  int Sum = 0;
  while (List) {
    Node *Next = List->Next;
    Sum += List->Value;
    free(List);
    List = Next;
  }
  Out[threadIdx.x] = Sum;
  if (threadIdx.x == 63)
    printf("thread %d: %d %.1f %s\n", int(threadIdx.x), Sum, Sum / 8.0, "text");
}

static bool listsAreRight(int *DeviceOut) {
  int Sums[64];
  sumLists<<<1, 64>>>(DeviceOut);
  if (hipMemcpy(Sums, DeviceOut, sizeof(Sums), hipMemcpyDeviceToHost) !=
      hipSuccess)
    return false;
  for (int I = 0; I < 64; ++I)
    if (Sums[I] != 8 * I + 28)
      return false;
  return true;
}

int main() {
  const int Blocks = 10, Threads = 128;
  std::vector<int> In(Blocks * Threads);
  int Expected = 0, Value = 3, Sum = 0;
  for (size_t I = 0; I < In.size(); ++I) {
    In[I] = int(I) * 7 - 1000;
    Expected += In[I] * Value;
  }
  int *DeviceIn, *DeviceOut;
  unsigned Count = 0;
  bool Good =
      hipMalloc(&DeviceIn, In.size() * sizeof(int)) == hipSuccess &&
      hipMalloc(&DeviceOut, 64 * sizeof(int)) == hipSuccess &&
      hipMemcpy(DeviceIn, In.data(), In.size() * sizeof(int),
                hipMemcpyHostToDevice) == hipSuccess &&
      hipMemset(DeviceOut, 0, sizeof(int)) == hipSuccess &&
      hipMemcpyToSymbol(HIP_SYMBOL(Factor), &Value, sizeof(int)) == hipSuccess;
  sumBlocks<int>
      <<<Blocks, Threads, Threads * sizeof(int)>>>(DeviceIn, DeviceOut);
  Good = Good && hipGetLastError() == hipSuccess &&
         hipMemcpy(&Sum, DeviceOut, sizeof(int), hipMemcpyDeviceToHost) ==
             hipSuccess &&
         hipMemcpyFromSymbol(&Count, HIP_SYMBOL(Launches), sizeof(Count)) ==
             hipSuccess;
  std::fflush(stdout);
  Good = listsAreRight(DeviceOut) && Good;
  std::printf("%s: %d, %d expected, %u blocks\n",
              Good && Sum == Expected && Count == Blocks ? "right" : "wrong",
              Sum, Expected, Count);
  return Good && Sum == Expected && Count == Blocks ? 0 : 1;
}
