#include "../api.h"
template <int N> __global__ void k(float *X) { X[threadIdx.x % warpSize] = powf(N, 2); }
template <> float run<1>(float *X) { k<1><<<1, 64>>>(X); return 1; }
