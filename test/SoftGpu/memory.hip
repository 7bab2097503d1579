// Memory: shared, constant and global, wide and unaligned accesses, dispatch ids.
// RUN: %clang++ -x c++ -std=c++20 -O1 -ffp-contract=off -Wall -Werror %s -I %S/Inputs -o %t.host
// RUN: %python %S/Inputs/run-kernels.py --host %t.host --softgpu-run %softgpu_run \
// RUN:   --source %s --prefix %t -- %clang++ %hipflags -I %S/Inputs
#include "kernel_test.h"

#ifdef __HIP__
KERNEL(reduce) {
  __shared__ u32 Sums[256];
  u32 T = LOCAL;
  Sums[T] = In[BLOCK * 256 + T];
  BARRIER;
  for (u32 Step = 128; Step > 0; Step /= 2) {
    if (T < Step)
      Sums[T] += Sums[T + Step];
    BARRIER;
  }
  if (T == 0)
    Out[BLOCK] = Sums[0];
}
#else
EXPECT(reduce, 4, 256, 0) {
  for (u32 I = 0; I < 1024; ++I)
    Out[I / 256] += In[I];
}
#endif

// C = A * B with 16 x 16 tiles in shared memory; matrices of 32 x 32.
#ifdef __HIP__
KERNEL(matmul) {
  __shared__ float A[16][16], B[16][16];
  u32 X = LOCAL % 16, Y = LOCAL / 16;
  u32 Column = BLOCK % 2 * 16 + X, Row = BLOCK / 2 * 16 + Y;
  float Sum = 0;
  for (u32 Tile = 0; Tile < 2; ++Tile) {
    A[Y][X] = readFloat(In[Row * 32 + Tile * 16 + X]);
    B[Y][X] = readFloat(In[1024 + (Tile * 16 + Y) * 32 + Column]);
    BARRIER;
    for (u32 K = 0; K < 16; ++K)
      Sum = __builtin_fmaf(A[Y][K], B[K][X], Sum);
    BARRIER;
  }
  Out[Row * 32 + Column] = Sum != Sum ? 0 : cast<u32>(Sum);
}
#else
EXPECT(matmul, 4, 256, 0) {
  for (u32 Row = 0; Row < 32; ++Row)
    for (u32 Column = 0; Column < 32; ++Column) {
      float Sum = 0;
      for (u32 K = 0; K < 32; ++K)
        Sum = __builtin_fmaf(readFloat(In[Row * 32 + K]),
                             readFloat(In[1024 + K * 32 + Column]), Sum);
      Out[Row * 32 + Column] = Sum != Sum ? 0 : cast<u32>(Sum);
    }
}
#endif

// Every width of shared memory, in dynamic LDS.
#ifdef __HIP__
extern __shared__ u32 Dynamic[];
KERNEL(lds_widths) {
  u32 T = LOCAL;
  Dynamic[T] = In[BLOCK * 128 + T];
  ((u64 *)Dynamic)[64 + T] = u64(In[T]) * In[T + 1];
  BARRIER;
  const u8 *Bytes = (const u8 *)Dynamic;
  const i16 *Halves = (const i16 *)Dynamic;
  u64 L = ((const u64 *)Dynamic)[191 - T];
  u32 Sum = Bytes[(T * 7) & 511] + u32(i32(Halves[255 - T])) + u32(L) + u32(L >> 32);
  struct Four { u32 V[4]; };
  Four F = ((const Four *)Dynamic)[(T * 3) & 31];
  Sum ^= F.V[0] + F.V[1] * 3 + F.V[2] * 5 + F.V[3] * 7;
  BARRIER;
  ((u8 *)Dynamic)[T] = u8(Sum);
  ((u16 *)Dynamic)[128 + T] = u16(Sum >> 7);
  BARRIER;
  Out[BLOCK * 128 + T] = Sum + Dynamic[T & 31] + Dynamic[64 + T / 2] + Dynamic[32];
}
#else
EXPECT(lds_widths, 2, 128, 1536) {
  for (u32 Block = 0; Block < 2; ++Block) {
    static u32 L[384], Sums[128];
    for (u32 T = 0; T < 128; ++T) {
      u64 P = u64(In[T]) * In[T + 1];
      L[T] = In[Block * 128 + T];
      L[128 + 2 * T] = u32(P), L[129 + 2 * T] = u32(P >> 32);
    }
    for (u32 T = 0; T < 128; ++T) {
      u32 Half = (L[(255 - T) / 2] >> 16 * ((255 - T) % 2)) & 0xffff;
      u32 Sum = (L[((T * 7) & 511) / 4] >> 8 * ((T * 7) % 4)) & 0xff;
      Sum += (Half ^ 0x8000) - 0x8000;
      Sum += L[2 * (191 - T)] + L[2 * (191 - T) + 1];
      const u32 *F = L + 4 * ((T * 3) & 31);
      Sums[T] = Sum ^ (F[0] + F[1] * 3 + F[2] * 5 + F[3] * 7);
    }
    for (u32 T = 0; T < 128; ++T) {
      L[T / 4] = (L[T / 4] & ~(0xffu << 8 * (T % 4))) | (Sums[T] & 0xff) << 8 * (T % 4);
      u32 W = 64 + T / 2, S = 16 * (T % 2);
      L[W] = (L[W] & ~(0xffffu << S)) | (Sums[T] >> 7 & 0xffff) << S;
    }
    for (u32 T = 0; T < 128; ++T)
      Out[Block * 128 + T] = Sums[T] + L[T & 31] + L[64 + T / 2] + L[32];
  }
}
#endif

// Waves that leave early take no part in later barriers.
#ifdef __HIP__
KERNEL(early_exit) {
  __shared__ u32 Count[256];
  u32 T = LOCAL;
  Count[T] = In[T];
  BARRIER;
  if (T >= 64)
    return;
  for (u32 Round = 0; Round < 3; ++Round) {
    u32 X = Count[(T + 1) % 64] + Count[T + 128];
    BARRIER;
    Count[T] = X;
    BARRIER;
  }
  Out[T] = Count[T];
}
#else
EXPECT(early_exit, 1, 256, 0) {
  u32 Count[64], Next[64];
  for (u32 T = 0; T < 64; ++T)
    Count[T] = In[T];
  for (u32 Round = 0; Round < 3; ++Round) {
    for (u32 T = 0; T < 64; ++T)
      Next[T] = Count[(T + 1) % 64] + In[T + 128];
    std::memcpy(Count, Next, sizeof(Count));
  }
  std::memcpy(Out, Count, sizeof(Count));
}
#endif

#ifdef __HIP__
#define CONSTANT static __constant__ const
#define GLOBAL __device__
#else
#define CONSTANT static const
#define GLOBAL static
#endif
CONSTANT u32 Primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
CONSTANT double Halves[4] = {0.5, 0.25, 0.125, 1e300};
GLOBAL u32 Weights[4] = {100, 200, 300, 400};
GLOBAL u32 *Pointer = &Weights[1];
CONSTANT char Text[] = "private constants of the device";
ITEM(globals) {
  u32 Sum = Primes[In[I] & 7] + Weights[I & 3] * Pointer[I % 3];
  Sum += u32(Text[In[I + 1] % 32]) << 16;
  Out[I] = Sum ^ u32(cast<u64>(Halves[I & 3]) >> 32);
}

struct alignas(16) Four {
  u32 V[4];
};
struct Three {
  u32 V[3];
};
struct __attribute__((packed)) Packed {
  u8 A;
  u32 B;
  u16 C;
  u64 D;
};
ITEM(wide_access) {
  Four A = ((const Four *)In)[I];
  Three B = ((const Three *)In)[I];
  for (u32 J = 0; J < 4; ++J)
    A.V[J] = A.V[J] * 3 + B.V[J % 3];
  ((Four *)Out)[I] = A;
  B.V[1] ^= A.V[2];
  ((Three *)(Out + 1200))[I] = B;
}

ITEM(unaligned_access) {
  Packed P = ((const Packed *)In)[I];
  P.B += P.A;
  P.D = P.D * 3 + P.C;
  P.C ^= u16(P.B >> 5);
  ((Packed *)Out)[I] = P;
}

ITEM(copies) {
  u32 Mine[24];
  __builtin_memset(Mine, int(I & 0xff), sizeof(Mine));
  __builtin_memcpy(Mine + 3, In + I, 40);
  __builtin_memcpy((char *)Mine + 61, In + I + 40, 7);
  u32 Sum = 0;
  for (u32 W : Mine)
    Sum = Sum * 5 + W;
  Out[I] = Sum;
}

// Negative offsets and indices of every kind.
ITEM(addressing) {
  const u32 *P = In + 600 + I;
  i32 Back = i32(In[I] & 255) - 300;
  u64 Forward = In[I + 1] & 1023;
  Out[I] = P[-600] + P[Back] * 3 + P[Forward] * 5 + P[-1] * 7 + P[1030] * 11;
  ((u8 *)(Out + 1024))[i64(I) * 4 + i32(In[I] & 3)] = u8(P[Back]);
}

#ifdef __HIP__
KERNEL(launch_ids) {
  u32 *To = Out + (BLOCK * 64 + LOCAL) * 4;
  To[0] = BLOCK << 16 | LOCAL;
  To[1] = __builtin_amdgcn_workgroup_size_x();
  To[2] = __builtin_amdgcn_grid_size_x();
  To[3] = __builtin_amdgcn_workgroup_id_y() << 8 | __builtin_amdgcn_workitem_id_z();
}
#else
EXPECT(launch_ids, 5, 64, 0) {
  for (u32 I = 0; I < 320; ++I) {
    Out[4 * I] = I / 64 << 16 | I % 64;
    Out[4 * I + 1] = 64;
    Out[4 * I + 2] = 320;
  }
}
#endif
