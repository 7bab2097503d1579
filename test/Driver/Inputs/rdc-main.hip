#include "hip_mini.h"

__device__ int helper(int);

__global__ void kmain(int *P) { *P = helper(*P); }
void callB();

int main() {
  kmain<<<dim3(1), dim3(1)>>>(nullptr);
  callB();
}
