// A library with a kernel, for hosts that know nothing of HIP.
#include "../../../../examples/hip_subset.h"

#include <cstdio>

__global__ void set(int *Data, int Value) { *Data = Value; }

extern "C" void run(float *) {
  int *Data = nullptr, Value = 0;
  hipError_t Error = hipMalloc(reinterpret_cast<void **>(&Data), sizeof(int));
  if (!Error) {
    set<<<dim3(1), dim3(1)>>>(Data, 42);
    Error = hipMemcpy(&Value, Data, sizeof(int), hipMemcpyDeviceToHost);
  }
  std::printf("error %d, value %d\n", Error, Value);
  std::fflush(stdout);
}
