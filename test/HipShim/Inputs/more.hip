#include "hip_mini.h"

__global__ void second(float *P) { *P = 2; }
extern "C" __attribute__((visibility("default"))) void secondOf(float *P) {
  second<<<dim3(1), dim3(1)>>>(P);
}
void launchSecond() { secondOf(nullptr); }
