#pragma once
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
template <int N> float run(float *);
#ifdef WANT
static_assert(__AMDGCN_WAVEFRONT_SIZE == WANT, "the wavefront's size");
#endif
