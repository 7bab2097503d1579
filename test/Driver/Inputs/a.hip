// The program: one kernel of its own, one in b.hip.
#include "hip_mini.h"

__global__ void ka(int *P) { *P = 1; }
void callB();

int main() {
  ka<<<dim3(1), dim3(1)>>>(nullptr);
  callB();
}
