#pragma once
#include <hip_mini.h>
template <int Factor> float scale(hipStream_t Stream, float *Data);
#ifdef __HIP_DEVICE_COMPILE__
#include "device_only.h"
#else
#define FACTOR 0
#endif
