// A TU that the program needs.
#include <hip_mini.h>

__global__ void klib(int *P) { *P = 2; }

int from_lib() {
  klib<<<1, 1>>>(nullptr);
  return 0;
}
