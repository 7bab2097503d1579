//===- kernel_test.h - one source, run by CPU and emulated GPU ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test is compiled twice: as HIP (kernels) and as C++ (a program that writes
// what each kernel must give). Inputs/run-kernels.py runs both and compares.
//
//   ITEM(name) { Out[I] = In[I] + 1; }  the same body for both: work-item I
//
//   #ifdef __HIP__
//   KERNEL(name) { ... LOCAL, BLOCK, BARRIER ... }
//   #else
//   EXPECT(name, Blocks, Threads, Lds) { ... the whole grid, in another way ... }
//   #endif
//
//===----------------------------------------------------------------------===//
#ifndef KERNEL_TEST_H
#define KERNEL_TEST_H

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned u32;
typedef int i32;
typedef unsigned long u64;
typedef long i64;

enum : u32 {
  Items = 300,       // of ITEM kernels: the last wave is not full
  Words = 4096,      // u32 of In and of Out
  ItemThreads = 128, // threads of a block
  ItemBlocks = 3
};

#ifdef __HIP__
#include "hip_mini.h"
#define DEVICE __device__
#define NOINLINE __device__ __attribute__((noinline))
#define ITEM(name)                                                             \
  static __device__ void name##_item(u32 I, const u32 *In, u32 *Out);          \
  extern "C" __global__ void name(const u32 *In, u32 *Out) {                   \
    u32 I = __builtin_amdgcn_workgroup_id_x() * ItemThreads +                  \
            __builtin_amdgcn_workitem_id_x();                                  \
    if (I < Items)                                                             \
      name##_item(I, In, Out);                                                 \
  }                                                                            \
  static __device__ void name##_item(u32 I, const u32 *In, u32 *Out)
#define KERNEL(name) extern "C" __global__ void name(const u32 *In, u32 *Out)
#define LOCAL __builtin_amdgcn_workitem_id_x()
#define BLOCK __builtin_amdgcn_workgroup_id_x()
#define BARRIER                                                                \
  do {                                                                         \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    __builtin_amdgcn_s_barrier();                                              \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                     \
  } while (0)
#define WAVE __builtin_amdgcn_wavefrontsize()
#else
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define DEVICE
#define NOINLINE __attribute__((noinline))

struct Case {
  const char *Name;
  void (*Item)(u32, const u32 *, u32 *);         // for every work-item, or
  void (*Whole)(const u32 *, u32 *, u32 Wave);   // for the whole grid
  u32 Blocks, Threads, Lds;
  Case *Next;
  static Case *&first() {
    static Case *First;
    return First;
  }
  Case(const char *Name, void (*Item)(u32, const u32 *, u32 *),
       void (*Whole)(const u32 *, u32 *, u32), u32 Blocks, u32 Threads, u32 Lds)
      : Name(Name), Item(Item), Whole(Whole), Blocks(Blocks), Threads(Threads),
        Lds(Lds), Next(first()) {
    first() = this;
  }
};

#define ITEM(name)                                                             \
  static void name##_item(u32 I, const u32 *In, u32 *Out);                     \
  static Case name##_case(#name, name##_item, nullptr, ItemBlocks,             \
                          ItemThreads, 0);                                     \
  static void name##_item(u32 I, const u32 *In, u32 *Out)
#define EXPECT(name, Blocks, Threads, Lds)                                     \
  static void name##_expect(const u32 *In, u32 *Out, u32 Wave);                \
  static Case name##_case(#name, nullptr, name##_expect, Blocks, Threads, Lds); \
  static void name##_expect(const u32 *In, u32 *Out, u32 Wave)

// test list | test NAME WAVESIZE IN OUT
int main(int Argc, char **Argv) {
  if (Argc == 2) {
    for (Case *C = Case::first(); C; C = C->Next)
      std::printf("%s %u %u %u\n", C->Name, C->Blocks, C->Threads, C->Lds);
    return 0;
  }
  static u32 In[Words], Out[Words];
  // Random bits, with small and extreme numbers among them.
  u64 State = 88172645463325252;
  for (u32 I = 0; I < Words; ++I) {
    State ^= State << 13, State ^= State >> 7, State ^= State << 17;
    u32 X = u32(State >> 16);
    switch (I % 8) {
    case 1: X &= 0xff; break;
    case 3: X = I % 16 == 3 ? 0x80000000 : 0x7fffffff; break;
    case 5: X = 0u - (X & 0xfff); break;
    case 7: X = I % 32 == 7 ? 0 : X & 0xffff; break;
    }
    In[I] = X;
  }
  for (Case *C = Case::first(); C; C = C->Next) {
    if (std::strcmp(C->Name, Argv[1]))
      continue;
    if (C->Whole)
      C->Whole(In, Out, u32(std::atoi(Argv[2])));
    else
      for (u32 I = 0; I < Items; ++I)
        C->Item(I, In, Out);
    FILE *F = std::fopen(Argv[3], "wb");
    FILE *G = std::fopen(Argv[4], "wb");
    bool Good = F && G && std::fwrite(In, sizeof(In), 1, F) == 1 &&
                std::fwrite(Out, sizeof(Out), 1, G) == 1;
    return Good && !std::fclose(F) && !std::fclose(G) ? 0 : 1;
  }
  return 1;
}
#endif

// Floats out of random bits: the words as they are have NaNs and huge numbers.
template <class To, class From> DEVICE static inline To cast(From Value) {
  return __builtin_bit_cast(To, Value);
}
/// A finite float, of moderate size; every 16th is special.
DEVICE static inline float readFloat(u32 Bits) {
  switch (Bits & 63) {
  case 1: return 0.0f;
  case 2: return -0.0f;
  case 3: return 1e-41f;
  case 4: return 3e38f;
  case 5: return -1.0f;
  }
  return cast<float>((Bits & 0x80ffffff) | (64 + (Bits >> 24 & 127)) << 23);
}
DEVICE static inline double widenSingle(u32 High, u32 Low) {
  u64 Bits = (u64(High) << 32 | Low) & 0x800fffffffffffff;
  return cast<double>(Bits | u64(1023 - 64 + (High >> 16 & 127)) << 52);
}

#endif // KERNEL_TEST_H
