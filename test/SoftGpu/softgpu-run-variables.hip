// softgpu-run: device variables of a code object are set before a run and read after
// it; a wrong name, size or file is told, and nothing is written then.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %clang++ %hipflags --offload-arch=gfx1100 -O2 --offload-device-only \
// RUN:   --no-gpu-bundle-output %s -o k.co

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

#include "hip_mini.h"

typedef unsigned u32;

__attribute__((constant)) u32 Table[2] = {1, 2};
__device__ u32 Counter;
extern "C" __global__ void variables() {
  __hip_atomic_fetch_add(&Counter, Table[0] + Table[1], __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_AGENT);
}
