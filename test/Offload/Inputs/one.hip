#include "hip_mini.h"

__global__ void one(int *P) { *P = 1; }
int main() { one<<<1, 1>>>(nullptr); }
