#include "hip_mini.h"

__global__ void kb(int *P) { *P = 2; }

void callB() { kb<<<dim3(1), dim3(1)>>>(nullptr); }
