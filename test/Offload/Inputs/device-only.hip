#include "hip_mini.h"

__device__ int helper(int X) { return X + 1; }
