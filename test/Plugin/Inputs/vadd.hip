#include "hip_mini.h"

__constant__ float Scale = 2.0f;

__global__ void vadd(const float *A, const float *B, float *C) {
  C[__builtin_amdgcn_workitem_id_x()] =
      Scale * (A[__builtin_amdgcn_workitem_id_x()] + B[0]);
}

int main() {
  vadd<<<dim3(1), dim3(64)>>>(nullptr, nullptr, nullptr);
  return 0;
}
