// What the compiler wrote, read back with every command. The second TU is
// compiled for one architecture less than the first.
//
// RUN: rm -rf %t && mkdir -p %t/bin && cd %t
// RUN: %kpack_clang %hipflags -O1 -cuid=one --emit-kpack --offload-arch=gfx1100 --offload-arch=gfx90a:xnack+ -c %s -o one.o
// RUN: %kpack_clang %hipflags -O1 -cuid=two -DSECOND --emit-kpack --offload-arch=gfx1100 -c %s -o two.o
// RUN: %kpack_clang -fuse-ld=lld --emit-kpack -Wl,--kpack-group=grp one.o two.o %fakehip -o bin/app
//
// RUN: %kpack verify bin/app bin/.kpack/*.kpack > verify.txt 2> notes.txt
// RUN: FileCheck %s --check-prefix=VERIFY --input-file=verify.txt
// RUN: FileCheck %s --check-prefix=NOTES --input-file=notes.txt
// VERIFY: bin/app: ok: 2 wrappers, 2 architectures
// VERIFY: bin/.kpack/app_gfx1100.kpack: ok: 2 code objects, 1 architecture
// VERIFY: bin/.kpack/app_gfx90a-xnack+.kpack: ok: 1 code object, 1 architecture
// NOTES: kpack: note: bin/app: 'app#1' (end-to-end.hip) was not compiled for gfx90a:xnack+, for which others were
//
// RUN: %kpack ref bin/app | FileCheck %s --check-prefix=REF
// REF: bin/app: host-only
// REF-NEXT: kernel name  app
// REF-NEXT: archive id
// REF-NEXT: built for gfx1100
// REF-NEXT: built for gfx90a:xnack+
// REF-NEXT: search path .kpack/app_gfx90a-xnack+.kpack
// REF-NEXT: any {{.*}}/bin/.kpack/app_gfx90a-xnack+.kpack
// REF-NEXT: search path .kpack/app_@GFXARCH@.kpack
// REF-NEXT: gfx1100 {{.*}}/bin/.kpack/app_gfx1100.kpack
// REF-NEXT: gfx90a:xnack+ {{.*}}/bin/.kpack/app_gfx90a-xnack+.kpack
// REF-NEXT: wrapper 0 HIPK, index 0, points to the marker, end-to-end.hip, for gfx1100 gfx90a:xnack+
// REF-NEXT: wrapper 1 HIPK, index 1, points to the marker, end-to-end.hip, for gfx1100
//
// RUN: %kpack show bin/.kpack/app_gfx1100.kpack | FileCheck %s --check-prefix=SHOW
// SHOW: scheme zstd-per-kernel
// SHOW-NEXT: group grp
// SHOW: archive id {{[0-9a-f]+}} app
// SHOW: code objects 2,
//
// RUN: %kpack list bin/.kpack/*.kpack | FileCheck %s --check-prefix=LIST
// LIST: app#0 gfx1100
// LIST-NEXT: app#1 gfx1100
// LIST: app#0 gfx90a:xnack+
//
// The code object is the one that the stock compiler makes.
// RUN: %clang++ %hipflags -O1 -cuid=two -DSECOND --offload-arch=gfx1100 --offload-device-only --no-gpu-bundle-output -c %s -o stock.co
// RUN: %kpack extract bin/.kpack/app_gfx1100.kpack --binary='app#1' -o - > ours.co
// RUN: cmp stock.co ours.co
//
// One flipped byte in a code object is found.
// RUN: %python -c "p='bin/.kpack/app_gfx1100.kpack'; d=bytearray(open(p,'rb').read()); d[400]^=1; open(p,'wb').write(d)"
// RUN: not %kpack verify bin/.kpack/app_gfx1100.kpack 2>&1 | FileCheck %s --check-prefix=FLIPPED
// FLIPPED: kpack: error: bin/.kpack/app_gfx1100.kpack: offset {{[0-9]+}}: entry 'app#{{[01]}}' for 'gfx1100': {{.*}}; the file is damaged, build or install it again

#include "hip_mini.h"
#ifdef SECOND
__global__ void second(int *P) { *P = 2; }
void launchSecond() { second<<<dim3(1), dim3(1)>>>(nullptr); }
#else
void launchSecond();
__global__ void first(int *P) { *P = 1; }
int main() {
  first<<<dim3(1), dim3(1)>>>(nullptr);
  launchSecond();
}
#endif
