#include "scale.h"
__global__ void scaleBy2(float *Data) { *Data *= 2 + FACTOR; }
template <> float scale<2>(hipStream_t Stream, float *Data) {
  scaleBy2<<<1, 64, 0, Stream>>>(Data);
  return 2;
}
