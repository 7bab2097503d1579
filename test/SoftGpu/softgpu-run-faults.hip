// softgpu-run: faults name the kernel, the place and the instruction, and one of memory
// the lane and the nearest buffer as well; a run that does not end is ended. No output
// is written then.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %clang++ %hipflags --offload-arch=gfx1100 -O2 --offload-device-only \
// RUN:   --no-gpu-bundle-output %s -o k.co

// RUN: rm -f o; not %softgpu_run k.co ids --block=64 --arg=out:o:128 2>&1 | FileCheck %s --check-prefix=FAULT
// FAULT: softgpu-run: error: k.co: memory access fault at 0x{{[0-9a-f]+}} in ids at +0x{{[0-9a-f]+}} 'global_store_b32 {{.*}}', workgroup 0,0,0 wave 1 lane 0: {{.*}}at the end of a 128-byte allocation
// RUN: test ! -e o
// RUN: not %softgpu_run k.co forever --limit=10000 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: softgpu-run: error: k.co: instruction limit in forever {{.*}}more than 10000 wave-instructions
// RUN: not %softgpu_run k.co trap 2>&1 | FileCheck %s --check-prefix=TRAP
// TRAP: softgpu-run: error: k.co: trap in trap at +0x{{.*}} 's_trap 2'

#include "hip_mini.h"

typedef unsigned u32;

extern "C" __global__ void ids(u32 *Out) {
  u32 I = __builtin_amdgcn_workitem_id_x();
  Out[I] = I;
}

extern "C" __global__ void forever() {
  for (;;)
    __builtin_amdgcn_s_sleep(1);
}

extern "C" __global__ void trap() { __builtin_trap(); }
