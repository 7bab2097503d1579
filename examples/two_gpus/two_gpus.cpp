// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half of the work on each GPU of the process. The GPUs may be of different
// architectures: each reads its own archive, and nothing of the other's.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <vector>

static void check(hipError_t Error, const char *What) {
  if (Error == hipSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, hipGetErrorString(Error));
  std::exit(1);
}

/// Says what it was compiled for, as no host code can.
__global__ void steps(const unsigned *From, unsigned *Steps, int N,
                      int *LanesOfWave) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I == 0)
    *LanesOfWave = warpSize;
  if (I >= N)
    return;
  unsigned Count = 0;
  for (unsigned X = From[I]; X > 1; ++Count)
    X = X % 2 ? 3 * X + 1 : X / 2;
  Steps[I] = Count;
}

static unsigned stepsOnCpu(unsigned X) {
  unsigned Count = 0;
  for (; X > 1; ++Count)
    X = X % 2 ? 3 * X + 1 : X / 2;
  return Count;
}

static bool runOn(int Device) {
  hipDeviceProp_t Properties;
  check(hipSetDevice(Device), "hipSetDevice");
  check(hipGetDeviceProperties(&Properties, Device), "hipGetDeviceProperties");
  const int N = 700;
  std::vector<unsigned> From(N), Steps(N);
  for (int I = 0; I != N; ++I)
    From[I] = 1 + I * 13 + Device * 9000;
  unsigned *DeviceFrom, *DeviceSteps;
  int *DeviceLanes, Lanes = 0;
  check(hipMalloc(&DeviceFrom, N * sizeof(unsigned)), "hipMalloc");
  check(hipMalloc(&DeviceSteps, N * sizeof(unsigned)), "hipMalloc");
  check(hipMalloc(&DeviceLanes, sizeof(int)), "hipMalloc");
  check(hipMemcpy(DeviceFrom, From.data(), N * sizeof(unsigned),
                  hipMemcpyHostToDevice),
        "hipMemcpy");
  steps<<<(N + 255) / 256, 256>>>(DeviceFrom, DeviceSteps, N, DeviceLanes);
  check(hipGetLastError(), "launch");
  check(hipMemcpy(Steps.data(), DeviceSteps, N * sizeof(unsigned),
                  hipMemcpyDeviceToHost),
        "hipMemcpy");
  check(hipMemcpy(&Lanes, DeviceLanes, sizeof(int), hipMemcpyDeviceToHost),
        "hipMemcpy");
  int Right = 0;
  for (int I = 0; I != N; ++I)
    Right += Steps[I] == stepsOnCpu(From[I]);
  std::printf("GPU %d, %s, wave%d: %d of %d right\n", Device,
              Properties.gcnArchName, Lanes, Right, N);
  return Right == N && Lanes == Properties.warpSize;
}

int main() {
  int Devices = 0;
  check(hipGetDeviceCount(&Devices), "hipGetDeviceCount");
  bool Good = true;
  for (int Device = 0; Device != Devices; ++Device)
    Good = runOn(Device) && Good;
  return Good ? 0 : 1;
}
