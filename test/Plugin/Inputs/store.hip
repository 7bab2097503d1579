#include "hip_mini.h"

__global__ void store(int *P) { *P = 7; }

void callStore() { store<<<dim3(1), dim3(1)>>>(nullptr); }
