// Names behind the numbers: sources, kernels, the archives of a program; and
// what a tool of today is expected to understand.
//
// RUN: rm -rf %t && mkdir -p %t/bin && cd %t && cp %s main.hip && cp %s saxpy.hip
// RUN: for s in main saxpy; do %kpack_clang %hipflags -O1 --emit-kpack --offload-arch=gfx1100,gfx90a -DSOURCE_$s -c $s.hip -o $s.o || exit 1; done
// RUN: %kpack_clang --emit-kpack main.o saxpy.o %fakehip -o bin/app
//
// A program stands for its archives.
// RUN: %kpack list bin/app | FileCheck %s --check-prefix=PROGRAM
// PROGRAM:      bin/.kpack/app_gfx1100.kpack:
// PROGRAM-NEXT: BINARY {{.*}} SOURCE
// PROGRAM-NEXT: app#0   gfx1100 {{.*}}%  main.hip
// PROGRAM-NEXT: app#1   gfx1100 {{.*}}%  saxpy.hip
// PROGRAM:      bin/.kpack/app_gfx90a.kpack:
// RUN: %kpack list --kernels --arch=gfx90a,gfx906 bin/.kpack/*.kpack | FileCheck %s --check-prefix=KERNELS
// KERNELS:      app#0   gfx90a
// KERNELS-NEXT:   first(int*)
// KERNELS-NEXT: app#1   gfx90a
// KERNELS-DAG:    saxpy(float, float const*, float*)
// KERNELS-DAG:    void scale<double>(double*)
// RUN: %kpack --json list --kernels bin/.kpack/app_gfx90a.kpack | FileCheck %s --check-prefix=JSON
// JSON:      "source": "saxpy.hip",
// JSON-NEXT: "kernels": [
// JSON-DAG:  "_Z5saxpyfPKfPf"
// JSON-DAG:  "_Z5scaleIdEvPT_"
// RUN: not %kpack list %kpack 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: kpack: error: {{.*}}: no program that ld.kpack has written; give archives, or programs that have some
//
// A filter that nothing matches is an error, and says what there is.
// RUN: not %kpack list --arch=gfx906,gfx908 bin/app 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %kpack --json list --arch gfx906,gfx908 bin/app 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: kpack: error: {{.*}}app_gfx1100.kpack and others: no entry matches --arch=gfx906 --arch=gfx908; there are entries for gfx1100, gfx90a
// RUN: not %kpack list --arch=gfx906, bin/app 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: kpack: error: --arch=gfx906,: a name in it is empty; give target ids
// RUN: %kpack list --arch='{gfx1100,gfx906}' bin/.kpack/app_gfx1100.kpack | grep -c gfx1100 | grep 2
//
// A tree, with other files in it.
// RUN: cp /bin/true bin/tool && echo '#!/bin/sh' > bin/script && cp main.o bin/ && ln -s nowhere bin/dangling
// RUN: %kpack verify . > verify.txt 2>&1 && FileCheck %s --check-prefix=TREE --input-file=verify.txt
// TREE:      ./bin/.kpack/app_gfx1100.kpack: ok: 2 code objects, 1 architecture
// TREE-NEXT: ./bin/.kpack/app_gfx90a.kpack: ok:
// TREE-NEXT: ./bin/app: ok: 2 wrappers, 2 architectures
// TREE-NOT:  {{.}}
// RUN: %kpack verify bin/app bin/tool 2>&1 | FileCheck %s --check-prefix=TOOL
// TOOL-DAG: kpack: note: bin/tool: no HIP code in it, nothing to check
// TOOL-DAG: bin/app: ok: 2 wrappers, 2 architectures
// RUN: mkdir empty && not %kpack verify empty 2>&1 | FileCheck %s --check-prefix=NOTREE
// NOTREE: kpack: error: empty: no archive and no binary with HIP code in this folder; give the folder of a program
// RUN: rm bin/.kpack/app_gfx90a.kpack && not %kpack verify . 2>&1 | grep 'no archive for gfx90a' && %kpack verify --gpu=gfx1100 .
//
// Options in front of the command, no output but problems, standard input.
// RUN: %kpack --quiet verify --gpu=gfx1100 bin/app bin/tool 2>&1 | count 0
// RUN: not %kpack -q verify bin/app 2>&1 | grep -c . | grep '^1$'
// RUN: %kpack list - < bin/.kpack/app_gfx1100.kpack | FileCheck %s --check-prefix=STDIN
// RUN: cat bin/.kpack/app_gfx1100.kpack | %kpack list - | FileCheck %s --check-prefix=STDIN
// STDIN: app#1   gfx1100
// RUN: cat bin/.kpack/app_gfx1100.kpack | %kpack verify - | grep '/dev/stdin: ok: 2 code objects'
// RUN: cat bin/.kpack/app_gfx1100.kpack | %kpack extract - --binary='app#1' -q -o - | llvm-readelf -h - | grep AMD
// RUN: cat bin/app | %kpack ref - | grep 'kernel name  app'
// RUN: not %kpack verify - < /dev/null 2>&1 | grep '/dev/stdin'
//
#include <hip_mini.h>
#ifdef SOURCE_saxpy
__global__ void saxpy(float A, const float *X, float *Y) { *Y += A * *X; }
template <typename T> __global__ void scale(T *X) { *X *= 2; }
int second() {
  saxpy<<<1, 1>>>(1, nullptr, nullptr);
  scale<double><<<1, 1>>>(nullptr);
  return 0;
}
#else
int second();
__global__ void first(int *P) { *P = 1; }
int main() {
  first<<<1, 1>>>(nullptr);
  return second();
}
#endif
