// An error that only the host compile meets.
#include "hip_mini.h"

#warning seen by every compile
__global__ void k(int *P) {}
void f() {
#ifndef __HIP_DEVICE_COMPILE__
  hostMistake();
#endif
}
