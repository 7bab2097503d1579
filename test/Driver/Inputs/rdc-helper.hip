// Device code only: no kernel, no wrapper, but the device link needs it.
#include "hip_mini.h"

__device__ int helper(int I) { return I + 41; }
