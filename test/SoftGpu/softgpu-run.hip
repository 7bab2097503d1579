// softgpu-run: arguments of every kind, buffers, the grid, a code object by itself or
// out of an archive, and what is printed of a run. softgpu-run-variables.hip and
// softgpu-run-faults.hip have device variables and faults, softgpu-run-errors.test has
// wrong command lines.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %clang++ %hipflags --offload-arch=gfx1100 -O2 --offload-device-only \
// RUN:   --no-gpu-bundle-output %s -o k.co

// Every kind of argument arrives as it was given.
// RUN: %python -c "open('struct','wb').write(bytes(range(1, 13)))"
// RUN: %softgpu_run k.co arguments --arg=out:o:96 --arg=u8:0xfe --arg=i16:-2 --arg=u32:4000000000 \
// RUN:   --arg=i64:-5000000000 --arg=f32:0.1 --arg=f64:-1e300 --arg=value:struct --arg=u64:7
// RUN: od -An -v -tx4 -w8 o | FileCheck %s --check-prefix=ARGUMENTS
// ARGUMENTS:      000000fe fffffffe
// ARGUMENTS-NEXT: ee6b2800 00000007
// ARGUMENTS-NEXT: d5fa0e00 fffffffe
// ARGUMENTS-NEXT: 3dcccccd 00000000
// ARGUMENTS-NEXT: 8800759c fe37e43c
// ARGUMENTS-NEXT: 04030201 08070605
// ARGUMENTS-NEXT: 0c0b0a09 00000000

// Buffers in, in and out, and the grid.
// RUN: %python -c "open('in','wb').write(bytes(i % 256 if i % 4 == 0 else 0 for i in range(1024)))"
// RUN: %softgpu_run k.co scale --grid=2 --block=128 --arg=inout:in:twice --arg=u32:2
// RUN: od -An -v -tu4 -w16 in | head -2 | FileCheck %s --check-prefix=IN
// RUN: od -An -v -tu4 -w16 twice | head -2 | FileCheck %s --check-prefix=TWICE
// IN:         0 4 8 12
// IN-NEXT:    16 20 24 28
// TWICE:      0 8 16 24
// TWICE-NEXT: 32 40 48 56

// RUN: %softgpu_run k.co scale --grid=2,1,1 --block=32 --arg=in:in --arg=u32:1 --stats 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATS
// STATS: {{^[0-9]+}} wave-instructions, 2 waves, {{[0-9.]+}} s, {{[0-9.]+}} M wave-instructions/s

// RUN: %softgpu_run k.co ids --block=4 --arg=zero:16 --trace 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: 0,0,0/0 +0x0: s_load_b64 s[{{[0-9]+}}:{{[0-9]+}}], s[0:1], {{.*}} ; s
// TRACE: v_lshlrev_b32_e32 v{{[0-9]+}}, 2, v0 ; v{{[0-9]+}}=[00000000 00000004 00000008 0000000c
// TRACE: s_endpgm ;
// Functions stand before the kernel here.
// RUN: %softgpu_run k.co calls --arg=zero:4 --trace 2>&1 | FileCheck %s --check-prefix=CALLS
// CALLS: 0,0,0/0 -0x{{[0-9a-f][0-9a-f]?[0-9a-f]?}}: s_setpc_b64

// An archive instead of a code object.
// RUN: %kpack_clang -x hip -O2 -nogpulib -nogpuinc -I %S/../Inputs/hip --offload-arch=gfx1100 --offload-arch=gfx90a \
// RUN:   -c %s -o k.o
// RUN: %kpack_clang --emit-kpack=k.kpack k.o -shared -nostdlib -o k.so -Wl,--unresolved-symbols=ignore-all
// RUN: %softgpu_run k.kpack ids --arch=gfx90a --block=64 --arg=out:ids:256
// RUN: od -An -v -tu4 -w16 ids | tail -1 | FileCheck %s --check-prefix=IDS
// IDS: 60 61 62 63
// RUN: not %softgpu_run k.kpack ids --block=64 --arg=out:ids:256 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: softgpu-run: error: k.kpack: 2 code objects match; choose one with --arch= and --binary=

#include "hip_mini.h"

typedef unsigned u32;
struct Struct {
  unsigned char Bytes[12];
};

extern "C" __global__ void arguments(u32 *Out, unsigned char A, short B, u32 C,
                                     long D, float E, double F, Struct G,
                                     unsigned long H) {
  Out[0] = A;
  Out[1] = u32(B);
  Out[2] = C;
  Out[3] = u32(H);
  __builtin_memcpy(Out + 4, &D, 8);
  __builtin_memcpy(Out + 6, &E, 4);
  __builtin_memcpy(Out + 8, &F, 8);
  __builtin_memcpy(Out + 10, &G, 12);
}

extern "C" __global__ void scale(u32 *Data, u32 By) {
  u32 I = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
          __builtin_amdgcn_workitem_id_x();
  Data[I] *= By;
}

__device__ __attribute__((noinline)) u32 twice(u32 *P) { return *P * 2; }
extern "C" __global__ void calls(u32 *Out) { *Out = twice(Out); }

extern "C" __global__ void ids(u32 *Out) {
  u32 I = __builtin_amdgcn_workitem_id_x();
  Out[I] = I;
}
