// Lanes of a wave: ballots, permutations, data-parallel primitives.
// RUN: %clang++ -x c++ -std=c++20 -O1 -ffp-contract=off -Wall -Werror %s -I %S/Inputs -o %t.host
// RUN: %python %S/Inputs/run-kernels.py --host %t.host --softgpu-run %softgpu_run \
// RUN:   --source %s --prefix %t -- %clang++ %hipflags -I %S/Inputs
#include "kernel_test.h"

// Waves of the whole block; the CPU does what each lane would.
#ifdef __HIP__
KERNEL(ballots) {
  u32 I = BLOCK * 128 + LOCAL, X = In[I];
  u64 Odd = __builtin_amdgcn_ballot_w64(X & 1);
  u64 Inner = 0;
  if (X % 3 == 0)
    Inner = __builtin_amdgcn_ballot_w64(X & 2);
  Out[I] = u32(Odd), Out[I + 512] = u32(Odd >> 32);
  Out[I + 1024] = u32(Inner), Out[I + 1536] = u32(Inner >> 32);
  u32 Before = __builtin_amdgcn_mbcnt_lo(u32(Odd), 0);
  Out[I + 2048] = WAVE == 64 ? __builtin_amdgcn_mbcnt_hi(u32(Odd >> 32), Before) : Before;
  Out[I + 2560] = __builtin_amdgcn_readfirstlane(X) + __builtin_amdgcn_readlane(X, 13);
}
#else
EXPECT(ballots, 2, 128, 0) {
  for (u32 First = 0; First < 256; First += Wave) {
    u64 Odd = 0, Inner = 0;
    for (u32 L = 0; L < Wave; ++L) {
      u32 X = In[First + L];
      Odd |= u64(X & 1) << L;
      Inner |= u64(X % 3 == 0 && (X & 2)) << L;
    }
    u32 Before = 0;
    for (u32 L = 0; L < Wave; ++L) {
      u32 I = First + L;
      Out[I] = u32(Odd), Out[I + 512] = u32(Odd >> 32);
      if (In[I] % 3 == 0)
        Out[I + 1024] = u32(Inner), Out[I + 1536] = u32(Inner >> 32);
      Out[I + 2048] = Before;
      Before += In[I] & 1;
      Out[I + 2560] = In[First] + In[First + 13];
    }
  }
}
#endif

// Within halves of 32 lanes: gfx10 and gfx11 permute no further in wave64.
#ifdef __HIP__
KERNEL(shuffles) {
  u32 I = BLOCK * 128 + LOCAL, X = In[I];
  u32 Lane = LOCAL % WAVE, Half = Lane & 32;
  Out[I] = u32(__builtin_amdgcn_ds_bpermute(int((Half + (Lane * 5 + 3) % 32) * 4), int(X)));
  Out[I + 512] = u32(__builtin_amdgcn_ds_permute(int((Half + (Lane * 3 + 1) % 32) * 4), int(X)));
  // xor of the lane number by 1, then reversed groups of 4: quad permutations.
  Out[I + 1024] = u32(__builtin_amdgcn_mov_dpp(int(X), 0xb1, 0xf, 0xf, true));
  Out[I + 1536] = u32(__builtin_amdgcn_mov_dpp(int(X), 0x1b, 0xf, 0xf, true));
  // Lane n gets lane n - 1 of its row of 16; the first keeps 77.
  Out[I + 2048] = u32(__builtin_amdgcn_update_dpp(77, int(X), 0x111, 0xf, 0xf, false));
  // ds_swizzle: xor by 16 within 32 lanes.
  Out[I + 2560] = u32(__builtin_amdgcn_ds_swizzle(int(X), 0x1f | 16 << 10));
  // Mirrored rows of 16; rows 0 and 2 only.
  Out[I + 3072] = u32(__builtin_amdgcn_update_dpp(5, int(X), 0x140, 0x5, 0xf, false));
}
#else
EXPECT(shuffles, 2, 128, 0) {
  for (u32 I = 0; I < 256; ++I) {
    u32 L = I % Wave, Half = I - I % 32;
    Out[I] = In[Half + (L * 5 + 3) % 32];
    Out[Half + (L * 3 + 1) % 32 + 512] = In[I];
    Out[I + 1024] = In[I ^ 1];
    Out[I + 1536] = In[I ^ 3];
    Out[I + 2048] = L % 16 ? In[I - 1] : 77;
    Out[I + 2560] = In[I ^ 16];
    Out[I + 3072] = L / 16 % 2 ? 5 : In[I ^ 15];
  }
}
#endif

// Inclusive sums over each wave, by shuffles.
#ifdef __HIP__
KERNEL(scan) {
  u32 I = BLOCK * 128 + LOCAL, Lane = LOCAL % WAVE, Sum = In[I];
  for (u32 Step = 1; Step < 32; Step *= 2) {
    u32 From = (Lane & 32) + (Lane - Step) % 32;
    u32 Before = u32(__builtin_amdgcn_ds_bpermute(int(From * 4), int(Sum)));
    if (Lane % 32 >= Step)
      Sum += Before;
  }
  u32 Lower = __builtin_amdgcn_readlane(Sum, 31);
  if (Lane >= 32)
    Sum += Lower;
  Out[I] = Sum;
}
#else
EXPECT(scan, 2, 128, 0) {
  for (u32 I = 0; I < 256; ++I)
    Out[I] = In[I] + (I % Wave ? Out[I - 1] : 0);
}
#endif

// Inactive lanes give nothing and get nothing.
#ifdef __HIP__
KERNEL(divergent_lanes) {
  u32 I = LOCAL, X = In[I];
  u32 R = 1;
  if (X & 4) {
    u32 First = __builtin_amdgcn_readfirstlane(X);
    R = First + u32(__builtin_amdgcn_update_dpp(9, int(X), 0xb1, 0xf, 0xf, false));
  }
  Out[I] = R;
}
#else
EXPECT(divergent_lanes, 1, 64, 0) {
  for (u32 I = 0; I < 64; ++I) {
    u32 First = I - I % Wave;
    while (First < 64 && !(In[First] & 4))
      ++First;
    u32 Other = In[I ^ 1] & 4 ? In[I ^ 1] : 9;
    Out[I] = In[I] & 4 ? In[First] + Other : 1;
  }
}
#endif

ITEM(byte_permutation) {
  u32 A = In[I], B = In[I + 1], S = In[I + 2] & 0x0f0f0f0f, R = 0;
#ifdef __HIP__
  R = __builtin_amdgcn_perm(A, B, S & 0x07070707);
  Out[I + 512] = __builtin_amdgcn_alignbit(A, B, S & 31);
  Out[I + 1024] = __builtin_amdgcn_ubfe(A, 5, 9) + u32(__builtin_amdgcn_sbfe(int(B), 7, 11));
  Out[I + 1536] = __builtin_amdgcn_sad_u8(A, B, 5);
#else
  u64 Both = u64(A) << 32 | B;
  for (u32 J = 0; J < 32; J += 8)
    R |= u32(Both >> 8 * (S >> J & 7) & 0xff) << J;
  Out[I + 512] = u32(Both >> (S & 31));
  Out[I + 1024] = (A >> 5 & 511) + u32(i32(B << 14) >> 21);
  u32 Sad = 5;
  for (u32 J = 0; J < 32; J += 8)
    Sad += u32(std::abs(int(A >> J & 0xff) - int(B >> J & 0xff)));
  Out[I + 1536] = Sad;
#endif
  Out[I] = R;
}
