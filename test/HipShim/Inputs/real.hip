// Asks Debian's libamdhip64 for its devices; prints the error.
#include "hip_mini.h"

extern "C" hipError_t hipGetDeviceCount(int *);
extern "C" int printf(const char *, ...);

__global__ void kernel(int *P) { *P = 1; }
void launch() { kernel<<<dim3(1), dim3(1)>>>(nullptr); }

int main() {
  int Count = -1;
  hipError_t Error = hipGetDeviceCount(&Count);
  printf("error %d, %d devices\n", Error, Count);
  return 0;
}
