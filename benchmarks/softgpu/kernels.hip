// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulated GPU is measured with: see docs/evidence/bench.md. Compiled with the
// declarations of test/Inputs/hip alone.
#include "hip_mini.h"

typedef unsigned u32;
typedef unsigned long u64;
#define LOCAL __builtin_amdgcn_workitem_id_x()
#define ITEM (__builtin_amdgcn_workgroup_id_x() * 256 + LOCAL)

// Multiplications, shifts, logic and comparisons of 32 bits.
extern "C" __global__ void integer(u32 *Out, u32 Rounds) {
  u32 A = ITEM, B = A ^ 0x9e3779b9, C = 1;
  for (u32 I = 0; I < Rounds; ++I) {
    A = A * 1664525 + 1013904223;
    B ^= A >> 13;
    B += B << 5;
    C = B > A ? C + A : C ^ B;
    A += C & 0xff;
  }
  Out[ITEM] = A + B + C;
}

// Sums and products of 64 bits, as generators of random numbers have them.
extern "C" __global__ void mul64(u64 *Out, u32 Rounds) {
  u64 A = ITEM, B = 1;
  for (u32 I = 0; I < Rounds; ++I) {
    A = A * 6364136223846793005 + 1442695040888963407;
    B ^= (u64)(u32)(A >> 32) * 0xd2511f53;
  }
  Out[ITEM] = A + B;
}

// Chains of fused multiply-add.
extern "C" __global__ void fma32(float *Out, u32 Rounds) {
  float A = ITEM, B = A + 1, C = 0.5f, D = 0.25f;
  for (u32 I = 0; I < Rounds; ++I) {
    A = __builtin_fmaf(A, 0.999f, B);
    B = __builtin_fmaf(B, 0.5f, C);
    C = __builtin_fmaf(C, -0.25f, D);
    D = __builtin_fmaf(D, 0.75f, 1.0f);
  }
  Out[ITEM] = A + B + C + D;
}

// Shared memory: neighbours' values, a barrier for each round.
extern "C" __global__ void lds(u32 *Out, u32 Rounds) {
  __shared__ u32 Values[512];
  u32 T = LOCAL, Sum = T;
  for (u32 I = 0; I < Rounds; ++I) {
    u32 *Now = Values + (I & 1) * 256;
    Now[T] = Sum;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    Sum += Now[(T + 1) & 255] ^ Now[(T + 17) & 255];
  }
  Out[ITEM] = Sum;
}

// Global memory, one word for each lane and instruction.
extern "C" __global__ void stream(u32 *Out, u32 Rounds) {
  u32 Sum = 0;
  for (u32 I = 0; I < Rounds; ++I)
    Sum += Out[(ITEM + I * 64) & 0xffff];
  Out[0x10000 + ITEM] = Sum;
}

// Chains of f64: sums, products, fused multiply-add.
extern "C" __global__ void f64(double *Out, u32 Rounds) {
  double A = ITEM, B = A + 1, C = 0.5;
  for (u32 I = 0; I < Rounds; ++I) {
    A = __builtin_fma(A, 0.5, B);
    B = __builtin_fma(B, -0.25, C);
    C = (C + 0.75) * 0.125;
  }
  Out[ITEM] = A + B + C;
}

// Unsigned divisions of 32 bits: a reciprocal in f32, and steps of integers.
extern "C" __global__ void div32(u32 *Out, u32 Rounds) {
  u32 A = ITEM | 0x80000000, Sum = 0;
  for (u32 I = 1; I <= Rounds; ++I) {
    u32 D = (I * 40503 + LOCAL) | 1;
    Sum += A / D + (A ^ I) % (D + 2);
  }
  Out[ITEM] = Sum;
}

// Global memory, words that are no neighbours.
extern "C" __global__ void gather(u32 *Out, u32 Rounds) {
  u32 At = ITEM, Sum = 0;
  for (u32 I = 0; I < Rounds; ++I) {
    At = At * 1664525 + 1013904223;
    Sum += Out[At >> 16];
  }
  Out[0x10000 + ITEM] = Sum;
}
