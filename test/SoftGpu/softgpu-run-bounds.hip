// Shared memory out of bounds: a fault, or what hardware does and a warning with a count. A compiler may not know.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %clang++ %hipflags --offload-arch=gfx90a -O2 --offload-device-only --no-gpu-bundle-output %s -o k.co

// RUN: not %softgpu_run k.co behind --grid=3 --block=64 --arg=out:o:768 2>&1 | FileCheck %s --check-prefix=FAIL
// FAIL: softgpu-run: error: k.co: access outside of LDS at 0x100 in behind {{.*}}'ds_read_b32 {{.*}}', workgroup 0,0,0 wave 0 lane 60: read of 4 bytes at LDS offset 256, the workgroup has 256
// RUN: %softgpu_run k.co behind --out-of-bounds=hardware --threads=2 --grid=3 --block=64 --arg=out:o:768 2>&1 | FileCheck %s --check-prefix=HARDWARE
// HARDWARE: {{^}}softgpu-run: warning: k.co: access outside of LDS at 0x100 in behind {{.*}}, workgroup 0,0,0 wave 0 lane 60: {{.*}}; accesses of this instruction outside: 12{{$}}
// HARDWARE-NOT: {{.}}
// RUN: %python -c "import struct; n = struct.unpack('<192I', open('o', 'rb').read()); assert n == tuple(i + 1004 if i < 60 else 0 for i in range(64)) * 3, n"

#include "hip_mini.h"

typedef unsigned u32;

// Four further on than it may.
extern "C" __global__ void behind(u32 *Out) {
  __shared__ u32 Numbers[64];
  u32 I = __builtin_amdgcn_workitem_id_x(), Value;
  Numbers[I] = 1000 + I;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __asm__ volatile("ds_read_b32 %0, %1 offset:16\n\ts_waitcnt lgkmcnt(0)"
                   : "=v"(Value)
                   : "v"((__attribute__((address_space(3))) u32 *)&Numbers[I])
                   : "memory");
  Out[__builtin_amdgcn_workgroup_id_x() * 64 + I] = Value;
}
