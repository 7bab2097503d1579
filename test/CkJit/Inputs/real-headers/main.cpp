// Calls the late kernel, which writes its number to each lane of a wavefront.
#include <hip/hip_runtime_api.h>

#include <cstdio>

float pick(float *);

int main() {
  float *Device, Host[64];
  if (hipMalloc((void **)&Device, sizeof(Host)) != hipSuccess)
    return 1;
  const float Result = pick(Device);
  if (hipMemcpy(Host, Device, sizeof(Host), hipMemcpyDeviceToHost) !=
      hipSuccess)
    return 1;
  int Right = 0;
  for (float X : Host)
    Right += X == 1;
  std::printf("%g %d of 64\n", Result, Right);
}
