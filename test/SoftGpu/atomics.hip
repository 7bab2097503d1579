// Atomics of global and shared memory, order-independent results.
// RUN: %clang++ -x c++ -std=c++20 -O1 -ffp-contract=off -Wall -Werror %s -I %S/Inputs -o %t.host
// RUN: %python %S/Inputs/run-kernels.py --host %t.host --softgpu-run %softgpu_run \
// RUN:   --source %s --prefix %t -- %clang++ %hipflags -I %S/Inputs
#include "kernel_test.h"

// Words spread over counters; every operation commutes.
#ifdef __HIP__
KERNEL(integer_atomics) {
  u32 I = BLOCK * 128 + LOCAL, X = In[I];
  u32 *To = Out + (X >> 9) % 16;
  __hip_atomic_fetch_add(To, X, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_sub(To + 16, I, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  __hip_atomic_fetch_xor(To + 32, X, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_or(To + 48, X & 0x0f0f0f0f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_max(To + 64, X, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_min((i32 *)To + 80, i32(X), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add((u64 *)(Out + 128) + X % 4, u64(X) << 20, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_max((i64 *)(Out + 144) + X % 4, i64(i32(X)) << 8, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_AGENT);
}
#else
EXPECT(integer_atomics, 4, 128, 0) {
  for (u32 I = 0; I < 512; ++I) {
    u32 X = In[I], *To = Out + (X >> 9) % 16;
    To[0] += X;
    To[16] -= I;
    To[32] ^= X;
    To[48] |= X & 0x0f0f0f0f;
    To[64] = X > To[64] ? X : To[64];
    i32 &Least = ((i32 *)To)[80];
    Least = i32(X) < Least ? i32(X) : Least;
    ((u64 *)(Out + 128))[X % 4] += u64(X) << 20;
    i64 &Most = ((i64 *)(Out + 144))[X % 4];
    Most = i64(i32(X)) * 256 > Most ? i64(i32(X)) * 256 : Most;
  }
}
#endif

// Values that were there are a permutation of 0 to 511.
#ifdef __HIP__
KERNEL(returned_values) {
  u32 I = BLOCK * 128 + LOCAL;
  u32 Ticket = __hip_atomic_fetch_add(Out, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(Out + 1 + Ticket, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  u32 Old = __hip_atomic_exchange(Out + 1024 + I, In[I], __ATOMIC_RELAXED,
                                  __HIP_MEMORY_SCOPE_AGENT);
  Out[1536 + I] = Old + In[I];
}
#else
EXPECT(returned_values, 4, 128, 0) {
  Out[0] = 512;
  for (u32 I = 0; I < 512; ++I) {
    Out[1 + I] = 1;
    Out[1024 + I] = Out[1536 + I] = In[I];
  }
}
#endif

// Sums of small whole numbers are exact in any order.
#ifdef __HIP__
DEVICE static void addByCas(float *To, float Value) {
  u32 Seen = __hip_atomic_load((u32 *)To, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  u32 Next;
  do {
    Next = cast<u32>(cast<float>(Seen) + Value);
  } while (!__hip_atomic_compare_exchange_strong((u32 *)To, &Seen, Next, __ATOMIC_ACQ_REL,
                                                 __ATOMIC_RELAXED,
                                                 __HIP_MEMORY_SCOPE_AGENT));
}
KERNEL(float_atomics) {
  u32 I = BLOCK * 128 + LOCAL;
  addByCas((float *)Out + In[I] % 8, float(In[I] & 15));
  __hip_atomic_fetch_add((float *)Out + 8 + In[I] % 8, float(In[I] & 31), __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add((double *)(Out + 16) + In[I] % 4, double(In[I] & 63),
                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
#else
EXPECT(float_atomics, 4, 128, 0) {
  for (u32 I = 0; I < 512; ++I) {
    ((float *)Out)[In[I] % 8] += float(In[I] & 15);
    ((float *)Out)[8 + In[I] % 8] += float(In[I] & 31);
    ((double *)(Out + 16))[In[I] % 4] += double(In[I] & 63);
  }
}
#endif

// A histogram in shared memory, then added to the global one.
#ifdef __HIP__
KERNEL(histogram) {
  __shared__ u32 Bins[32];
  __shared__ u64 Total;
  if (LOCAL < 32)
    Bins[LOCAL] = 0;
  if (LOCAL == 0)
    Total = 0;
  BARRIER;
  u32 X = In[BLOCK * 256 + LOCAL];
  __hip_atomic_fetch_add(&Bins[X % 32], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __hip_atomic_fetch_add(&Total, u64(X), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  BARRIER;
  if (LOCAL < 32)
    __hip_atomic_fetch_add(Out + LOCAL, Bins[LOCAL], __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_AGENT);
  if (LOCAL == 32)
    __hip_atomic_fetch_add((u64 *)(Out + 32), Total, __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_AGENT);
}
#else
EXPECT(histogram, 6, 256, 0) {
  for (u32 I = 0; I < 1536; ++I) {
    ++Out[In[I] % 32];
    *(u64 *)(Out + 32) += In[I];
  }
}
#endif

// Every block waits until all blocks have come: needs all of them in flight.
#ifdef __HIP__
KERNEL(grid_barrier) {
  if (LOCAL == 0) {
    __hip_atomic_fetch_add(Out, In[BLOCK], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_add(Out + 1, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(Out + 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != 16)
      __builtin_amdgcn_s_sleep(1);
  }
  BARRIER;
  if (LOCAL == 70)
    Out[2 + BLOCK] = __hip_atomic_load(Out, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
#else
EXPECT(grid_barrier, 16, 96, 0) {
  for (u32 I = 0; I < 16; ++I)
    Out[0] += In[I];
  Out[1] = 16;
  for (u32 I = 0; I < 16; ++I)
    Out[2 + I] = Out[0];
}
#endif
