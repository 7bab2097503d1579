// One error on the device side, after a warning on both.
#include "hip_mini.h"

#warning seen by every compile
__global__ void k(int *P) {
#ifdef __HIP_DEVICE_COMPILE__
  deviceMistake();
#endif
}
