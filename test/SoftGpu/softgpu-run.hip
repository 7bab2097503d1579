// softgpu-run: arguments, buffers, variables, archives and faults.
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

// Device variables, before and after.
// RUN: %python -c "open('table','wb').write(bytes([5,0,0,0,7,0,0,0]))"
// RUN: %softgpu_run k.co variables --block=64 --set=Table:table --get=Counter:counter --get=Table:table2
// RUN: od -An -v -tu4 counter | FileCheck %s --check-prefix=COUNTER
// RUN: cmp table table2
// COUNTER: {{^ *}}768{{$}}
// RUN: %softgpu_run k.co variables --block=64 --get=Counter:counter
// RUN: od -An -v -tu4 counter | FileCheck %s --check-prefix=COUNTER0
// COUNTER0: {{^ *}}192{{$}}
// RUN: not %softgpu_run k.co variables --set=Tabel:table 2>&1 | FileCheck %s --check-prefix=NOVARIABLE
// NOVARIABLE: softgpu-run: error: --set=Tabel:table: no variable 'Tabel' in the code object; 'llvm-nm -D' lists the names
// RUN: rm counter; not %softgpu_run k.co variables --get=count:counter 2>&1 | FileCheck %s --check-prefix=NOCOUNT
// NOCOUNT: softgpu-run: error: --get=count:counter: no variable 'count'
// RUN: test ! -e counter
// RUN: not %softgpu_run k.co variables --set=Counter:table 2>&1 | FileCheck %s --check-prefix=VARIABLESIZE
// VARIABLESIZE: softgpu-run: error: --set=Counter:table: the file has 8 bytes, the variable 4; give as many
// RUN: not %softgpu_run k.co variables --set=Counter:absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: softgpu-run: error: absent: cannot read: No such file or directory
// RUN: not %softgpu_run k.co variables --set=Counter 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: softgpu-run: error: --set=Counter: a variable and a file expected

// An archive instead of a code object.
// RUN: %kpack_clang -x hip -O2 -nogpulib -nogpuinc -I %S/../Inputs/hip --offload-arch=gfx1100 --offload-arch=gfx90a \
// RUN:   -c %s -o k.o
// RUN: %kpack_clang --emit-kpack=k.kpack k.o -shared -nostdlib -o k.so -Wl,--unresolved-symbols=ignore-all
// RUN: %softgpu_run k.kpack ids --arch=gfx90a --block=64 --arg=out:ids:256
// RUN: od -An -v -tu4 -w16 ids | tail -1 | FileCheck %s --check-prefix=IDS
// IDS: 60 61 62 63
// RUN: not %softgpu_run k.kpack ids --block=64 --arg=out:ids:256 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: softgpu-run: error: k.kpack: 2 code objects match; choose one with --arch= and --binary=

// Faults name kernel, place, lane and the nearest buffer; no output is written.
// RUN: rm -f o; not %softgpu_run k.co ids --block=64 --arg=out:o:128 2>&1 | FileCheck %s --check-prefix=FAULT
// FAULT: softgpu-run: error: k.co: memory access fault at 0x{{[0-9a-f]+}} in ids at +0x{{[0-9a-f]+}} 'global_store_b32 {{.*}}', workgroup 0,0,0 wave 1 lane 0: {{.*}}at the end of a 128-byte allocation
// RUN: test ! -e o
// RUN: not %softgpu_run k.co forever --limit=10000 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: softgpu-run: error: k.co: instruction limit in forever {{.*}}more than 10000 wave-instructions
// RUN: not %softgpu_run k.co trap 2>&1 | FileCheck %s --check-prefix=TRAP
// TRAP: softgpu-run: error: k.co: trap in trap at +0x{{.*}} 's_trap 2'

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

__attribute__((constant)) u32 Table[2] = {1, 2};
__device__ u32 Counter;
extern "C" __global__ void variables() {
  __hip_atomic_fetch_add(&Counter, Table[0] + Table[1], __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_AGENT);
}

extern "C" __global__ void forever() {
  for (;;)
    __builtin_amdgcn_s_sleep(1);
}

extern "C" __global__ void trap() { __builtin_trap(); }
