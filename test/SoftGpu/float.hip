// Floating-point operations that IEEE 754 defines to the last bit.
// RUN: %clang++ -x c++ -std=c++20 -O1 -ffp-contract=off -Wall -Werror %s -I %S/Inputs -o %t.host
// RUN: %python %S/Inputs/run-kernels.py --host %t.host --softgpu-run %softgpu_run \
// RUN:   --source %s --prefix %t -- %clang++ %hipflags -I %S/Inputs
#include "kernel_test.h"

// NaNs have many patterns, of which the CPU gives another one than the GPU.
DEVICE static inline u32 bitsOf(float F) {
  return F != F ? 0x7fc00000 : cast<u32>(F);
}
DEVICE static inline void put(u32 *Out, double D) {
  u64 B = D != D ? 0x7ff8000000000000 : cast<u64>(D);
  Out[0] = u32(B), Out[1] = u32(B >> 32);
}

ITEM(basic32) {
  float A = readFloat(In[I]), B = readFloat(In[I + 1]), C = readFloat(In[I + 2]);
  Out[I] = bitsOf(A + B);
  Out[I + 300] = bitsOf(A - B * C);
  Out[I + 600] = bitsOf(A * B);
  Out[I + 900] = bitsOf(__builtin_fmaf(A, B, C));
  Out[I + 1200] = bitsOf(-__builtin_fabsf(A) + 2.0f);
  Out[I + 1500] = (A < B) | (A <= B) << 1 | (A == B) << 2 | (A != C) << 3 |
                  !(A > B) << 4 | __builtin_isunordered(A, B) << 5;
  Out[I + 1800] = bitsOf(__builtin_copysignf(A, B));
  Out[I + 2100] = bitsOf(A < B ? A : B) ^ bitsOf(A > C ? A : C);
}

ITEM(special32) {
  float A = cast<float>(In[I]), B = cast<float>(In[I + 1]);
  Out[I] = bitsOf(A + B);
  Out[I + 300] = bitsOf(A * B);
  Out[I + 600] = bitsOf(__builtin_fmaf(A, B, 1.0f));
  Out[I + 900] = A < B;
  Out[I + 1200] = __builtin_isnan(A) | __builtin_isinf(B) << 1 |
                  (A == A) << 2;
}

ITEM(divide32) {
  float A = readFloat(In[I]), B = readFloat(In[I + 1]);
  Out[I] = bitsOf(A / B);
  Out[I + 300] = bitsOf(1.0f / B);
  Out[I + 600] = bitsOf(cast<float>(In[I]) / cast<float>(In[I + 2]));
  Out[I + 900] = bitsOf(__builtin_sqrtf(__builtin_fabsf(A)));
  Out[I + 1200] = bitsOf(__builtin_sqrtf(cast<float>(In[I])));
}

ITEM(basic64) {
  double A = widenSingle(In[I], In[I + 1]), B = widenSingle(In[I + 2], In[I + 3]);
  double C = widenSingle(In[I + 4], In[I + 5]);
  put(Out + 2 * I, A + B * C);
  put(Out + 2 * I + 600, __builtin_fma(A, B, C));
  put(Out + 2 * I + 1200, A - B);
  put(Out + 2 * I + 1800, A < B ? -A : __builtin_fabs(B));
  Out[I + 3000] = (A < B) | (A >= C) << 1 | (A == B) << 2;
}

ITEM(divide64) {
  double A = widenSingle(In[I], In[I + 1]), B = widenSingle(In[I + 2], In[I + 3]);
  put(Out + 2 * I, A / B);
  put(Out + 2 * I + 600, 1.0 / A);
  put(Out + 2 * I + 1200, __builtin_sqrt(__builtin_fabs(A)));
  double C = cast<double>(u64(In[I]) << 32 | In[I + 1]);
  put(Out + 2 * I + 1800, B / C);
  put(Out + 2 * I + 2400, __builtin_sqrt(C));
}

ITEM(rounding) {
  float A = readFloat(In[I]) * 64.0f;
  double B = widenSingle(In[I], In[I + 1]);
  Out[I] = bitsOf(__builtin_floorf(A));
  Out[I + 300] = bitsOf(__builtin_ceilf(A));
  Out[I + 600] = bitsOf(__builtin_truncf(A));
  Out[I + 900] = bitsOf(__builtin_rintf(A));
  put(Out + 2 * I + 1200, __builtin_floor(B));
  put(Out + 2 * I + 1800, __builtin_rint(B));
  put(Out + 2 * I + 2400, __builtin_trunc(B) + __builtin_ceil(B));
}

ITEM(convert) {
  u32 A = In[I];
  u64 L = u64(A) << 32 | In[I + 1];
  float F = float(i32(A) % 1000000) / 16.0f;
  double D = double(i32(A)) * 0.75;
  Out[I] = bitsOf(float(A));
  Out[I + 300] = bitsOf(float(i32(A)));
  Out[I + 600] = bitsOf(float(L));
  Out[I + 900] = bitsOf(float(i64(L)));
  put(Out + 2 * I + 1200, double(L));
  put(Out + 2 * I + 1800, double(i64(L)) + double(A) - double(i32(A)));
  Out[I + 2400] = u32(i32(F)) + u32(__builtin_fabsf(F));
  Out[I + 2700] = u32(i32(D)) ^ u32(i64(D * 1e6)) ^ u32(u64(L / 3.0) >> 20);
  Out[I + 3000] = bitsOf(float(D));
  put(Out + 2 * I + 3300, double(readFloat(A)));
}

ITEM(minimum) {
  float A = readFloat(In[I]), B = readFloat(In[I + 1]) + 0.5f;
  float C = cast<float>(In[I] | 0x7fc00000);
  Out[I] = bitsOf(__builtin_fminf(A, B));
  Out[I + 300] = bitsOf(__builtin_fmaxf(A, B));
  Out[I + 600] = bitsOf(__builtin_fmaxf(C, B));
  Out[I + 900] = bitsOf(__builtin_fminf(__builtin_fmaxf(A, 0.0f), 1.0f));
  put(Out + 2 * I + 1200,
      __builtin_fmin(double(A) * 1.5, __builtin_fmax(double(B), -3.0)));
}

typedef _Float16 half;
typedef half half2 __attribute__((ext_vector_type(2)));
DEVICE static inline half halfOf(u32 Bits) {
  return cast<half>(u16((Bits & 0x83ff) | (8 + (Bits >> 10 & 15)) << 10));
}
DEVICE static inline u32 bitsOf(half H) {
  return H != H ? 0x7e00 : cast<u16>(H);
}

ITEM(half_precision) {
  half A = halfOf(In[I]), B = halfOf(In[I + 1] >> 3), C = halfOf(In[I] >> 16);
  half Sum = A + B, Product = A * B, Difference = A - C;
  Out[I] = bitsOf(Sum) | bitsOf(Product) << 16;
  Out[I + 300] = bitsOf(Difference) | (A < B) << 16 | (A >= C) << 17;
  Out[I + 600] = bitsOf(half(float(A) * 0.3f)) | bitsOf(half(B)) << 16;
  Out[I + 900] = cast<u32>(float(Sum));
  Out[I + 1200] = bitsOf(half(i32(In[I] & 0x7ff))) + u32(i32(A));
  Out[I + 1500] = bitsOf(half(readFloat(In[I + 2])));
  half Quotient = A / B;
  Out[I + 1800] = bitsOf(Quotient);
}

ITEM(packed_half) {
  half2 A = {halfOf(In[I]), halfOf(In[I] >> 16)};
  half2 B = {halfOf(In[I + 1]), halfOf(In[I + 1] >> 16)};
  half2 Sum = A + B, Product = A * B, Crossed = A.yx - B, Negated = -A * B.yy;
  Out[I] = cast<u32>(Sum);
  Out[I + 300] = cast<u32>(Product);
  Out[I + 600] = cast<u32>(Crossed);
  Out[I + 900] = cast<u32>(Negated);
}
