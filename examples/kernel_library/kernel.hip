// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Fourier transform of LENGTH complex numbers of type REAL, compiled once
// for each length, precision and architecture. One thread computes one number
// of one transform; a real library would be cleverer.
#include "../hip_subset.h"

extern "C" __global__ void transform(const REAL *In, REAL *Out,
                                     const REAL *Roots, int Batch) {
  int I = __builtin_amdgcn_workgroup_id_x() * 64 +
          __builtin_amdgcn_workitem_id_x();
  if (I >= Batch * LENGTH)
    return;
  const REAL *From = In + 2 * (I / LENGTH) * LENGTH;
  int Row = I % LENGTH;
  REAL Real = 0, Imaginary = 0;
  for (int K = 0; K != LENGTH; ++K) {
    const REAL *Root = Roots + 2 * ((Row * K) % LENGTH);
    Real += From[2 * K] * Root[0] - From[2 * K + 1] * Root[1];
    Imaginary += From[2 * K] * Root[1] + From[2 * K + 1] * Root[0];
  }
  Out[2 * I] = Real;
  Out[2 * I + 1] = Imaginary;
}
