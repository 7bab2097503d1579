#include "hip_mini.h"

__global__ void two(int *P) { *P = 2; }
void useTwo() { two<<<1, 1>>>(nullptr); }
