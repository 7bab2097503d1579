// The program: a kernel of its own, and one behind from_lib().
#include <hip_mini.h>

__global__ void kmain(int *P) { *P = 1; }

int from_lib();

int main() {
  kmain<<<1, 1>>>(nullptr);
  return from_lib();
}
