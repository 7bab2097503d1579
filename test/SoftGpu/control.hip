// Control flow, calls and the stack: divergence, recursion, indexed arrays.
// RUN: %clang++ -x c++ -std=c++20 -O1 -ffp-contract=off -Wall -Werror %s -I %S/Inputs -o %t.host
// RUN: %python %S/Inputs/run-kernels.py --host %t.host --softgpu-run %softgpu_run \
// RUN:   --source %s --prefix %t -- %clang++ %hipflags -I %S/Inputs
#include "kernel_test.h"

ITEM(nested_loops) {
  u32 Sum = 0;
  for (u32 A = 0; A < In[I] % 13; ++A) {
    if ((A + I) % 5 == 3)
      continue;
    for (u32 B = A; B < In[I + 1] % 17; B += 1 + (I & 1)) {
      Sum += A * B + I;
      if (Sum % 31 == 7)
        break;
    }
    if (Sum > 3000)
      break;
  }
  Out[I] = Sum;
}

ITEM(switch_cases) {
  u32 X = In[I];
  for (u32 Round = 0; Round < 6; ++Round) {
    switch (X % 9) {
    case 0: X = X / 3 + 1; break;
    case 1: X ^= 0x55; [[fallthrough]];
    case 2: X += 77; break;
    case 3: X = X << 3 | X >> 29; break;
    case 4: if (X & 64) X = ~X; else X -= Round; break;
    case 5: X *= 5; break;
    case 7: Out[I + 1024] = X; X >>= 1; break;
    default: X += Round * Round;
    }
  }
  Out[I] = X;
}

NOINLINE u32 mix(u32 A, u32 B, u32 C) { return A * 31 + (B ^ C >> 3); }
NOINLINE u64 wide(u64 A, u32 B) { return A * B + (A >> 7); }
ITEM(calls) {
  u32 X = mix(In[I], I, 7);
  if (I % 3)
    X = mix(X, In[I + 1], X);
  u64 Y = wide(u64(X) << 20 | I, In[I] | 1);
  Out[I] = X;
  Out[I + 512] = u32(Y ^ Y >> 32);
}

NOINLINE u32 ackermann(u32 M, u32 N) {
  if (M == 0)
    return N + 1;
  if (N == 0)
    return ackermann(M - 1, 1);
  return ackermann(M - 1, ackermann(M, N - 1));
}
NOINLINE u32 fibonacci(u32 N) {
  return N < 2 ? N : fibonacci(N - 1) + fibonacci(N - 2);
}
ITEM(recursion) {
  Out[I] = fibonacci(I % 9);
  Out[I + 512] = ackermann(I % 3, In[I] % 4);
}

ITEM(indexed_array) {
  u32 Table[16];
  for (u32 J = 0; J < 16; ++J)
    Table[J] = In[I + J] ^ J;
  for (u32 J = 0; J < 40; ++J)
    Table[(In[I] + J * 7) & 15] += Table[(In[I + 1] >> J % 16) & 15] + J;
  u32 Sum = 0;
  for (u32 J = 0; J < 16; ++J)
    Sum = Sum * 33 + Table[J];
  Out[I] = Sum;
}

ITEM(byte_array) {
  u8 Bytes[64];
  u16 Halves[32];
  for (u32 J = 0; J < 64; ++J)
    Bytes[J] = u8(In[I] >> J % 25);
  for (u32 J = 0; J < 32; ++J)
    Halves[J] = u16(Bytes[(J * 5 + I) & 63] * 257u + Bytes[J]);
  u64 Doubles[4] = {};
  for (u32 J = 0; J < 32; ++J)
    Doubles[Halves[J] & 3] += u64(Halves[J]) << (J & 31);
  u64 Sum = Doubles[0] ^ Doubles[1] * 3 ^ Doubles[2] * 5 ^ Doubles[3];
  Out[I] = u32(Sum);
  Out[I + 512] = u32(Sum >> 32);
}

struct Pair {
  u32 First;
  u64 Second;
  u8 Small[5];
};
NOINLINE Pair exchange(Pair P, u32 X) {
  Pair Q = P;
  Q.First = u32(P.Second) + X;
  Q.Second = u64(P.First) << 9 | P.Small[X % 5];
  Q.Small[X % 5] = u8(P.First);
  return Q;
}
ITEM(struct_values) {
  Pair P = {In[I], u64(In[I + 1]) << 30, {1, 2, 3, u8(I), 5}};
  for (u32 J = 0; J < 4; ++J)
    P = exchange(P, In[I] + J);
  u32 Sum = P.First ^ u32(P.Second) ^ u32(P.Second >> 32);
  for (u8 S : P.Small)
    Sum = Sum * 7 + S;
  Out[I] = Sum;
}

NOINLINE void addTo(u32 *To, const u32 *From, u32 N) {
  for (u32 J = 0; J < N; ++J)
    *To += From[J] ^ J;
}
// Pointers to the stack and to global memory through one function.
ITEM(generic_pointers) {
  u32 Mine[8], Sum = I;
  for (u32 J = 0; J < 8; ++J)
    Mine[J] = In[I + J] + J;
  addTo(&Sum, Mine, I % 9 < 8 ? I % 9 : 8);
  addTo(&Mine[I & 7], In + I, 3);
  Out[I] = Sum;
  addTo(Out + I, Mine, 8);
}

NOINLINE u32 twice(u32 X) { return 2 * X; }
NOINLINE u32 square(u32 X) { return X * X + 1; }
NOINLINE u32 flip(u32 X) { return ~X; }
ITEM(function_pointers) {
  u32 (*Functions[3])(u32) = {twice, square, flip};
  u32 X = In[I];
  for (u32 J = 0; J < 4; ++J)
    X = Functions[(X + I) % 3](X) + J;
  Out[I] = X;
}

// A frame beyond the reach of the 12-bit offset of loads.
ITEM(large_frame) {
  u32 Large[1500];
  for (u32 J = 0; J < 1500; J += 3)
    Large[J] = I * J;
  Large[1499] = In[I];
  u32 Sum = Large[1499];
  for (u32 J = I % 3 * 3; J < 1497; J += 9)
    Sum += Large[J] ^ J;
  Out[I] = Sum;
}
