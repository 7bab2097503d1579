// A TU that only device code needs.
#include <hip_mini.h>
__device__ int helper(int X) { return X * 3; }
