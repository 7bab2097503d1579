// The program: a kernel that calls what device.hip has, and one behind from_lib(),
// which is in the lib.hip of the folder above.
#include <hip_mini.h>
__device__ int helper(int);
__global__ void kmain(int *P) { *P = helper(1); }
int from_lib();
int main() {
  kmain<<<1, 1>>>(nullptr);
  return from_lib();
}
