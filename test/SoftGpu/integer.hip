// Integer operations of every width, compared with the CPU's.
// RUN: %clang++ -x c++ -std=c++20 -O1 -ffp-contract=off -Wall -Werror %s -I %S/Inputs -o %t.host
// RUN: %python %S/Inputs/run-kernels.py --host %t.host --softgpu-run %softgpu_run \
// RUN:   --source %s --prefix %t -- %clang++ %hipflags -I %S/Inputs
#include "kernel_test.h"

ITEM(mix32) {
  u32 A = In[I], B = In[I + 1], C = In[I + 2];
  u32 H = A * B + C;
  H ^= H >> 15, H *= 0x2c1b3c6d, H ^= H << 7;
  Out[2 * I] = H + (A & B) - (B | C) + (~A ^ C);
  Out[2 * I + 1] = (A << (B & 31)) ^ (A >> (C & 31)) ^ u32(i32(B) >> (A & 31));
}

ITEM(compare32) {
  u32 A = In[I], B = In[I + 1];
  i32 S = i32(A), T = i32(B);
  Out[I] = (A < B) | (A <= B) << 1 | (S < T) << 2 | (S >= T) << 3 |
           (A == B) << 4 | (A != 0) << 5;
  Out[I + 512] = A < B ? A : B;
  Out[I + 1024] = u32(S > T ? S : T);
  Out[I + 1536] = A - B > A ? 1 : S + 5u;
}

ITEM(divide32) {
  u32 A = In[I], B = In[I + 9] | 1;
  i32 S = i32(A), T = i32(B);
  if (T == -1)
    T = 3;
  Out[I] = A / B;
  Out[I + 512] = A % B;
  Out[I + 1024] = u32(S / T);
  Out[I + 1536] = u32(S % T);
  Out[I + 2048] = A / 10 + A % 7 + u32(S / 13) + u32(S % 1000);
}

ITEM(arithmetic64) {
  u64 A = u64(In[I]) << 32 | In[I + 1], B = u64(In[I + 2]) << 32 | In[I + 3];
  i64 S = i64(A), T = i64(B);
  u64 R[6] = {A + B, A - B, A * B, A << (B & 63), A >> (B & 63),
              u64(S >> (B & 63))};
  u64 H = 0;
  for (u64 X : R)
    H = H * 31 + X;
  Out[2 * I] = u32(H);
  Out[2 * I + 1] = u32(H >> 32);
  Out[I + 1024] = (A < B) | (A <= B) << 1 | (S < T) << 2 | (S >= T) << 3 |
                  (A == B) << 4 | (S > 0) << 5;
}

ITEM(divide64) {
  u64 A = u64(In[I]) << 32 | In[I + 1];
  u64 B = (u64(In[I + 2]) << 32 | In[I + 3]) >> (In[I + 4] & 63) | 1;
  i64 S = i64(A), T = i64(B);
  if (T == -1)
    T = 3;
  u64 R[4] = {A / B, A % B, u64(S / T), u64(S % T)};
  for (u32 J = 0; J < 4; ++J) {
    Out[8 * I + 2 * J] = u32(R[J]);
    Out[8 * I + 2 * J + 1] = u32(R[J] >> 32);
  }
}

ITEM(wide_multiply) {
  u64 A = u64(In[I]) << 32 | In[I + 1], B = u64(In[I + 2]) << 32 | In[I + 3];
  unsigned __int128 P = (unsigned __int128)A * B;
  __int128 Q = (__int128)i64(A) * i64(B) + P;
  u64 H = u64(P >> 64), L = u64(Q), K = u64(Q >> 64);
  Out[I] = u32(H) ^ u32(L);
  Out[I + 512] = u32(H >> 32) + u32(K);
  Out[I + 1024] = u32(L >> 32) ^ u32(K >> 32);
  Out[I + 1536] = u32(u64(In[I]) * In[I + 1] >> 32);
  Out[I + 2048] = u32(i64(i32(In[I])) * i32(In[I + 1]) >> 32);
}

ITEM(bits) {
  u32 A = In[I];
  u64 B = u64(A) << 32 | In[I + 1];
  Out[I] = A ? u32(__builtin_clz(A)) : 99;
  Out[I + 300] = A ? u32(__builtin_ctz(A)) : 99;
  Out[I + 600] = u32(__builtin_popcount(A));
  Out[I + 900] = __builtin_bitreverse32(A);
  Out[I + 1200] = __builtin_bswap32(A);
  Out[I + 1500] = B ? u32(__builtin_clzl(B)) : 99;
  Out[I + 1800] = B ? u32(__builtin_ctzl(B)) : 99;
  Out[I + 2100] = u32(__builtin_popcountl(B));
  Out[I + 2400] = u32(__builtin_bitreverse64(B) >> 7);
  Out[I + 2700] = __builtin_rotateleft32(A, In[I + 1]);
  Out[I + 3000] = (A >> 5 & 0x3ff) | u32(i32(A << 3) >> 20) << 10;
}

ITEM(narrow) {
  const u8 *Bytes = (const u8 *)In;
  const i8 *Signed = (const i8 *)In;
  const u16 *Halves = (const u16 *)In;
  const i16 *SignedHalves = (const i16 *)In;
  u8 A = u8(Bytes[I] + Bytes[3 * I + 1]);
  i8 B = i8(Signed[I + 5] - Signed[2 * I]);
  u16 C = u16(Halves[I] * Halves[I + 3] + A);
  i16 D = i16(SignedHalves[I + 7] >> (A & 15));
  ((u8 *)Out)[I] = A;
  ((i8 *)Out)[I + 1024] = B;
  ((u16 *)Out)[I + 1024] = C;
  ((i16 *)Out)[I + 2048] = D;
  Out[I + 2048] = u32(B) + C * 3u + u32(D) + (A > 77 ? C : u16(D));
  Out[I + 2560] = u32(i16(C < A ? C : A)) ^ u32(u16(C << (A & 15)));
}

ITEM(collatz) {
  u32 X = In[I] % 10000 + 1, Steps = 0, Highest = X;
  while (X != 1 && Steps < 500) {
    X = X & 1 ? 3 * X + 1 : X / 2;
    Highest = X > Highest ? X : Highest;
    ++Steps;
  }
  Out[I] = Steps;
  Out[I + 512] = Highest;
}

ITEM(overflow) {
  u32 A = In[I], B = In[I + 1], Sum, Carry;
  i32 Signed;
  bool Over = __builtin_sadd_overflow(i32(A), i32(B), &Signed);
  Carry = __builtin_uadd_overflow(A, B, &Sum);
  Out[I] = Sum + Carry;
  Out[I + 512] = Over ? 7 : u32(Signed);
  u32 Product;
  Out[I + 1024] = __builtin_umul_overflow(A, B & 0xffff, &Product) + Product;
  Out[I + 1536] = __builtin_elementwise_add_sat(A, B);
  Out[I + 2048] = __builtin_elementwise_sub_sat(A, B);
  Out[I + 2560] = u32(__builtin_elementwise_add_sat(i32(A), i32(B)));
  Out[I + 3072] = u32(__builtin_elementwise_abs(i32(A) | 1));
}

typedef u16 u16x2 __attribute__((ext_vector_type(2)));
typedef i16 i16x2 __attribute__((ext_vector_type(2)));
ITEM(packed16) {
  u16x2 A = cast<u16x2>(In[I]), B = cast<u16x2>(In[I + 1]);
  i16x2 S = cast<i16x2>(In[I]), T = cast<i16x2>(In[I + 2]);
  u16x2 Shift = B & u16(15);
  Out[I] = cast<u32>(A + B);
  Out[I + 300] = cast<u32>(A * B - A);
  Out[I + 600] = cast<u32>(A << Shift);
  Out[I + 900] = cast<u32>(A >> Shift);
  Out[I + 1200] = cast<u32>(__builtin_elementwise_max(A, B));
  Out[I + 1500] = cast<u32>(__builtin_elementwise_min(S, T));
  Out[I + 1800] = cast<u32>(S >> i16(3));
  Out[I + 2100] = cast<u32>(u16x2(A.yx + B));
}
