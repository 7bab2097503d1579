// A TU that nobody needs.
#include <hip_mini.h>

__global__ void kunused(int *P) { *P = 3; }

int from_unused() {
  kunused<<<1, 1>>>(nullptr);
  return 0;
}
