// Where the bytes of files of every kind go: every byte is in one row.
//
// RUN: rm -rf %t && mkdir -p %t/tree && cd %t && cp %s main.hip && cp %s saxpy.hip
// RUN: for s in main saxpy; do %clang++ %hipflags -O1 -g --offload-arch=gfx1100 --offload-arch=gfx90a:xnack+ -DSOURCE_$s -c $s.hip -o $s.o || exit 1; done
// RUN: %clang++ %hipflags -O1 -g --offload-arch=gfx1100 --offload-device-only --no-gpu-bundle-output -DSOURCE_saxpy -c saxpy.hip -o saxpy.hsaco
// RUN: %clang++ %hipflags -O1 -g --offload-arch=gfx1100 --offload-arch=gfx90a:xnack+ --offload-device-only -DSOURCE_saxpy -c saxpy.hip -o saxpy.co
// RUN: %clang++ %hipflags -O1 -g --offload-arch=gfx1100 --offload-arch=gfx90a:xnack+ --offload-device-only --offload-compress -DSOURCE_saxpy -c saxpy.hip \
// RUN:   -o ccob.co
//
// A fat library: bytes of the host are a row of its own, padding of bundles is another.
// RUN: %clang++ -fuse-ld=lld -shared -nostdlib main.o saxpy.o -o fat.so
// RUN: %kpack report fat.so | FileCheck %s --check-prefix=FAT
// FAT:      TARGET OBJECTS SIZE STORED CODE SYMBOLS DEBUG OTHER LIBRARY
// FAT-NEXT: gfx1100 2 [[#]] [[#A:]] [[#]] [[#]] [[#D:]] [[#]] fat.so
// FAT-NEXT: gfx90a:xnack+ 2 [[#]] [[#B:]] [[#]] [[#]] [[#E:]] [[#]] fat.so
// FAT-NEXT: host - [[#]] [[#H:]] - - - - fat.so
// FAT-NEXT: containers - [[#]] [[#C:]] - - - -
// FAT-NEXT: total 4 [[#]] [[#A+B+H+C]]
// FAT-NEXT: 1 file (0 archives), [[#A+B+H+C]] bytes
// FAT-NEXT: debug information that 'kpack strip' does not reach: about [[#D+E]] bytes ([[#]] %); 'kpack convert --device-debug=strip' leaves that of binaries out
// FAT-NOT:  {{.}}
//
// Without section headers, what the wrappers point to.
// RUN: cp fat.so bare.so && llvm-strip --strip-sections bare.so && %kpack report bare.so | FileCheck %s --check-prefix=BARE
// BARE: gfx1100 2
// BARE: gfx90a:xnack+ 2
// BARE: host - [[#]]
//
// Objects, static libraries, code objects, bundles of both kinds, files of Windows, an
// archive and a program of kpack: one after the other, all at once, and as a folder.
// RUN: rm -f lib.a && llvm-ar rc lib.a main.o saxpy.o
// RUN: echo 'int main(void) { return 0; } int _fltused;' > w.c && %clang++ -target x86_64-pc-windows-msvc -x c -c w.c -o w.obj
// RUN: llvm-objcopy --add-section=.hip_fatbin=saxpy.co w.obj fat.obj
// RUN: lld-link /entry:main /subsystem:console /nodefaultlib fat.obj /out:fat.exe
// RUN: %clang++ %hipflags -O1 -fgpu-rdc --offload-arch=gfx1100 -DSOURCE_saxpy -c saxpy.hip -o rdc.o
// RUN: %kpack convert fat.so -o tree/host-only.so
// RUN: for f in main.o lib.a saxpy.hsaco saxpy.co ccob.co fat.obj fat.exe rdc.o tree/.kpack/*_gfx1100.kpack; \
// RUN:   do %kpack report --json --html=page.html $f > one.json && %python %S/Inputs/check-report.py one.json page.html $f || exit 1; done
// RUN: cp fat.so bare.so main.o lib.a saxpy.hsaco saxpy.co ccob.co fat.obj fat.exe rdc.o tree
// RUN: cp main.hip tree/text
// RUN: ln -s fat.so tree/link.so
// RUN: ln tree/fat.so tree/twin.so
// RUN: %kpack report --json --html=page.html tree > tree.json
// RUN: %python %S/Inputs/check-report.py tree.json page.html tree/*.so tree/*.o tree/lib.a tree/*co tree/fat.* tree/.kpack/*.kpack
// RUN: %kpack report tree | grep -v total | FileCheck %s --check-prefix=TREE
// TREE:      gfx1100 1 [[#]] [[PACKED:[0-9]+]] {{.*}} tree/ccob.co
// TREE:      gfx1100 2 {{.*}} tree/fat.so
// TREE-NOT:  twin
// TREE-NOT:  link.so
// TREE:      host - {{.*}} tree/fat.exe
// TREE:      host - {{.*}} tree/host-only.so
// TREE:      containers
// TREE:      [[#]] code objects are copies of others; with each stored once, as in one archive, about [[#]] bytes ([[#]] %) less
//
// The work is done on all cores; what comes out does not depend on it.
// RUN: cp page.html first.html && for i in 1 2 3 4; do %kpack report --json --html=page.html tree | diff tree.json - && cmp page.html first.html || exit 1; \
// RUN:   done
// RUN: %kpack report --json tree/fat.so tree/ccob.co tree/lib.a | grep -v '"files"' > ab.json
// RUN: %kpack report --json tree/lib.a tree/fat.so tree/ccob.co | grep -v '"files"' | diff ab.json -
//
// In a compressed bundle each code object has its share.
// RUN: %kpack report --json ccob.co > ccob.json
// RUN: %python -c \
// RUN:   'import json, os; r = json.load(open("ccob.json"));\
// RUN: assert len(r["shares"]) == 2 and all(s["stored"] < s["size"] / 1.5 and s["debug"] for s in r["shares"]);\
// RUN: assert r["stored"] + r["containers"] == os.path.getsize("ccob.co") and r["strippable"] == 0 < r["strippable_elsewhere"]'
//
// What strip takes is what strip is said to take: of code objects that are files.
// RUN: %kpack report saxpy.hsaco | FileCheck %s --check-prefix=HSACO
// HSACO:      gfx1100 1 [[#]] [[#]] [[#]] [[#]] [[#D:]] [[#]] saxpy.hsaco
// HSACO:      'kpack strip' would save about [[#D]] bytes
// HSACO-NOT:  does not reach
//
// Equal code: of each group the copies but one, and who has them.
// RUN: cp saxpy.hsaco again.hsaco
// RUN: llvm-objcopy --add-section=.hip_fatbin=saxpy.hsaco w.obj third.obj
// RUN: %kpack report --json saxpy.hsaco again.hsaco third.obj > equal.json
// RUN: %python -c \
// RUN:   'import json, os; d = json.load(open("equal.json"))["duplicates"]; size = os.path.getsize("saxpy.hsaco");\
// RUN: assert d["code_objects"] == 2 and d["saved"] == 2 * size, d;\
// RUN: assert d["largest"] == [{"target": "gfx1100", "size": size, "copies": 3, "saved": 2 * size, "libraries": ["again.hsaco", "saxpy.hsaco",\
// RUN: "third.obj"]}], d'
//
// What one GPU needs: code that runs on it, and the host parts.
// RUN: %kpack report --gpu=gfx1100 --json --html=page.html fat.so ccob.co > gpu.json && %python %S/Inputs/check-report.py gpu.json page.html fat.so ccob.co
// RUN: %python -c \
// RUN:   'import json; r = json.load(open("gpu.json")); assert r["selection"] == "--gpu=gfx1100" and {s["target"] for s in r["shares"]} == {"gfx1100"} and\
// RUN: r["left_out"] > r["stored"] / 2 and r["host"], r'
// RUN: grep -- '--gpu=gfx1100' page.html
// RUN: not %kpack report --gpu=gfx906 tree 2>&1 | grep 'error: tree: nothing matches --gpu=gfx906; there is code for gfx1100, gfx90a:xnack+'
//
// Damaged: the rest is counted, and that it is not all is said.
// RUN: %python %S/Inputs/spoil-hash.py ccob.co spoilt.co
// RUN: not %kpack report spoilt.co saxpy.co > out.txt 2> err.txt
// RUN: grep 'error: spoilt.co: offload bundle does not match its hash' err.txt
// RUN: FileCheck %s --check-prefix=SPOILT < out.txt
// SPOILT: gfx1100 1 {{.*}} saxpy.co
// SPOILT: 2 files (0 archives), [[#]] bytes; counted here [[#]] bytes ([[#]] %)
// SPOILT: not complete: 1 file could not be read, or not all of it
//
#include <hip_mini.h>
#ifdef SOURCE_saxpy
__global__ void saxpy(float A, const float *X, float *Y) {
  __shared__ float Local[256];
  unsigned Id = __builtin_amdgcn_workitem_id_x();
  Local[Id] = A * X[Id];
  __builtin_amdgcn_s_barrier();
  *Y += Local[255 - Id];
}
template <typename T> __global__ void scale(T *X) { *X *= 2; }
int second() {
  saxpy<<<1, 1>>>(1, nullptr, nullptr);
  scale<double><<<1, 1>>>(nullptr);
  return 0;
}
#else
int second();
__global__ void first(int *P) { *P = 1; }
int start() {
  first<<<1, 1>>>(nullptr);
  return second();
}
#endif
