// All device code of files of every kind, down to kernels.
//
// Without a CUID: its number depends on the options, and has no zeros in front, so that
// sizes of one code object would differ.
// RUN: rm -rf %t && mkdir -p %t/bin && cd %t && cp %s main.hip && cp %s saxpy.hip
// RUN: for s in main saxpy; do %clang++ %hipflags -O1 --offload-arch=gfx1100 --offload-arch=gfx90a:xnack+ -DSOURCE_$s -c $s.hip -o $s.o || exit 1; done
// RUN: %clang++ %hipflags -O1 --offload-arch=gfx1100 --offload-device-only --no-gpu-bundle-output -fuse-cuid=none -DSOURCE_saxpy -c saxpy.hip -o saxpy.hsaco
// RUN: %clang++ %hipflags -O1 --offload-arch=gfx1100 --offload-arch=gfx90a:xnack+ --offload-device-only -fuse-cuid=none -DSOURCE_saxpy -c saxpy.hip \
// RUN:   -o saxpy.co
// RUN: %clang++ %hipflags -O1 --offload-arch=gfx1100 --offload-arch=gfx90a:xnack+ --offload-device-only --offload-compress -fuse-cuid=none -DSOURCE_saxpy \
// RUN:   -c saxpy.hip -o ccob.co
//
// A fat library: two containers, one a translation unit.
// RUN: %clang++ -fuse-ld=lld -shared -nostdlib main.o saxpy.o -o fat.so
// RUN: %kpack inspect fat.so | FileCheck %s --check-prefix=FAT
// FAT:      fat.so: fat, 2 containers, 4 code objects of {{[0-9]+}} bytes, 6 kernels
// FAT-NEXT:   .hip_fatbin at 0x{{[0-9a-f]+}}: bundle, {{[0-9]+}} bytes
// FAT-NEXT:     gfx1100      code object v{{[56]}}, {{[0-9]+}} bytes, 1 kernel
// FAT-NEXT:          CODE  VGPR  SGPR  AGPR     LDS  PRIVATE  KERNEL
// FAT-NEXT:  {{ +[1-9][0-9]* +[1-9][0-9]* +[0-9]+ +- +0 +0}}  first(int*)
// FAT-NEXT:     gfx90a:xnack+ code object v{{[56]}}, {{[0-9]+}} bytes, 1 kernel
// FAT-NEXT:  CODE
// FAT-NEXT:  {{ +[1-9][0-9]* +[1-9][0-9]* +[0-9]+ +0 +0 +0}}  first(int*)
// FAT-NEXT:   .hip_fatbin at 0x{{[0-9a-f]+}}: bundle, {{[0-9]+}} bytes
// FAT-NEXT:     gfx1100      code object v{{[56]}}, {{[0-9]+}} bytes, 2 kernels
// FAT-NEXT:  CODE
// FAT-DAG:   {{ +[0-9]+ +[0-9]+ +[0-9]+ +- +1024 +0}}  saxpy(float, float const*, float*)
// FAT-DAG:   void scale<double>(double*)
// RUN: %kpack inspect --summary fat.so | FileCheck %s --check-prefix=SUMMARY
// SUMMARY:      fat.so: fat, 2 containers
// SUMMARY-NEXT:   gfx1100        2 code objects of {{[0-9]+}} bytes, 3 kernels
// SUMMARY-NEXT:   gfx90a:xnack+  2 code objects of {{[0-9]+}} bytes, 3 kernels
// SUMMARY-NOT:  {{.}}
//
// Without section headers, what the wrappers point to.
// RUN: cp fat.so bare.so && llvm-strip --strip-sections bare.so && %kpack inspect bare.so | grep -v '^ *[0-9C]' | FileCheck %s --check-prefix=BARE
// BARE:      bare.so: fat, 2 containers, 4 code objects of {{[0-9]+}} bytes, 6 kernels
// BARE-NEXT:   at 0x{{[0-9a-f]+}}: bundle, {{[0-9]+}} bytes
// BARE-NEXT:     gfx1100      code object v{{[56]}}, {{[0-9]+}} bytes, 1 kernel
// BARE-NEXT:     gfx90a:xnack+
// BARE-NEXT:   at 0x{{[0-9a-f]+}}: bundle
//
// The numbers are those of the compiler's own notes.
// RUN: %kpack inspect --json saxpy.hsaco > hsaco.json && llvm-readelf --notes saxpy.hsaco > notes.txt
// RUN: %python %S/Inputs/check-inspect.py hsaco.json notes.txt
//
// Objects, static libraries, code objects, bundles of both kinds.
// RUN: rm -f lib.a && llvm-ar rc lib.a main.o saxpy.o
// RUN: %kpack inspect main.o lib.a saxpy.hsaco saxpy.co ccob.co | grep -v '^ *[0-9C]' | FileCheck %s --check-prefix=FILES
// FILES:      main.o: object, 1 container, 2 code objects
// FILES-NEXT:   .hip_fatbin at {{.*}}: bundle
// FILES-NEXT:     gfx1100
// FILES-NEXT:     gfx90a:xnack+
// FILES-NEXT: lib.a: static library, 2 containers, 4 code objects
// FILES-NEXT:   main.o: .hip_fatbin at
// FILES-NEXT:     gfx1100
// FILES-NEXT:     gfx90a:xnack+
// FILES-NEXT:   saxpy.o: .hip_fatbin at
// FILES:      saxpy.hsaco: device code, 1 container, 1 code object of [[SIZE:[0-9]+]] bytes, 2 kernels
// FILES-NEXT:   at 0x0: code object v{{[56]}}, [[SIZE]] bytes
// FILES-NEXT:     gfx1100      code object v{{[56]}}, [[SIZE]] bytes, 2 kernels
// FILES-NEXT: saxpy.co: device code, 1 container, 2 code objects
// FILES-NEXT:   at 0x0: bundle, [[PLAIN:[0-9]+]] bytes
// FILES:      ccob.co: device code, 1 container, 2 code objects
// FILES-NEXT:   at 0x0: compressed bundle v{{[23]}}, {{[0-9]+}} bytes, [[PLAIN]] decompressed
// FILES-NEXT:     gfx1100      code object v{{[56]}}, [[SIZE]] bytes, 2 kernels
//
// Files of Windows: in programs names of sections end after eight letters.
// RUN: echo 'int main(void) { return 0; } int _fltused;' > w.c && %clang++ -target x86_64-pc-windows-msvc -x c -c w.c -o w.obj
// RUN: llvm-objcopy --add-section=.hip_fatbin=saxpy.co w.obj fat.obj
// RUN: lld-link /entry:main /subsystem:console /nodefaultlib fat.obj /out:fat.exe
// RUN: %kpack inspect --summary fat.obj fat.exe w.obj | FileCheck %s --check-prefix=WINDOWS
// WINDOWS:      fat.obj: object, 1 container, 2 code objects of {{[0-9]+}} bytes, 4 kernels
// WINDOWS-NEXT:   gfx1100
// WINDOWS-NEXT:   gfx90a:xnack+
// WINDOWS-NEXT: fat.exe: fat, 1 container, 2 code objects of {{[0-9]+}} bytes, 4 kernels
// WINDOWS:      w.obj: no device code
//
// What kpack's own compiler leaves for the link, and -fgpu-rdc.
// RUN: %kpack_clang %hipflags -O1 --emit-kpack --offload-arch=gfx1100 -DSOURCE_saxpy -c saxpy.hip -o kpack.o
// RUN: %kpack_clang %hipflags -O1 --emit-kpack --offload-arch=gfx1100 -DSOURCE_main -c main.hip -o kpackmain.o
// RUN: %clang++ %hipflags -O1 -fgpu-rdc --offload-arch=gfx1100 -DSOURCE_saxpy -c saxpy.hip -o rdc.o
// RUN: %kpack inspect kpack.o rdc.o | FileCheck %s --check-prefix=OBJECTS
// OBJECTS:      kpack.o: object, 1 container, 1 code object
// OBJECTS-NEXT:   .kpack.devobj at 0x{{[0-9a-f]+}}: offload binary v1, {{[0-9]+}} bytes
// OBJECTS-NEXT:     gfx1100      code object v{{[56]}}, {{[0-9]+}} bytes, 2 kernels
// OBJECTS:      rdc.o: object, 1 container, 1 code object of
// OBJECTS-NEXT:   __CLANG_OFFLOAD_BUNDLE__{{.*}}gfx1100 at 0x{{[0-9a-f]+}}: -fgpu-rdc image
// OBJECTS-NEXT:     gfx1100      bitcode, {{[0-9]+}} bytes
//
// A program of ld.kpack stands for its archives; an archive for itself.
// RUN: %kpack_clang --emit-kpack kpackmain.o kpack.o %fakehip -o bin/app
// RUN: %kpack inspect bin/app | FileCheck %s --check-prefix=APP
// APP:      bin/app: host-only, 2 containers, 2 code objects of {{[0-9]+}} bytes, 3 kernels
// APP-NEXT:   {{.*}}bin/.kpack/app_gfx1100.kpack: app#0: archive entry, {{[0-9]+}} bytes, {{[0-9]+}} decompressed
// APP-NEXT:     gfx1100      code object v{{[56]}}, {{[0-9]+}} bytes, 1 kernel
// APP:          {{.*}}app#1: archive entry
// RUN: %kpack inspect bin/.kpack/app_gfx1100.kpack | FileCheck %s --check-prefix=ARCHIVE
// ARCHIVE:      bin/.kpack/app_gfx1100.kpack: kpack archive, 2 containers, 2 code objects of {{[0-9]+}} bytes, 3 kernels
// ARCHIVE-NEXT:   app#0: archive entry
//
// A folder: what has device code in the order of names, and nothing twice.
// RUN: mkdir tree && cp -r bin fat.so saxpy.co tree/ && cp /bin/true tree/ && echo text > tree/text && ln -s fat.so tree/link.so
// RUN: %kpack inspect --summary tree | grep -v '^ ' | FileCheck %s --check-prefix=TREE
// TREE:      tree/bin/.kpack/app_gfx1100.kpack: kpack archive, 2
// TREE-NEXT: tree/bin/app: host-only
// TREE-NEXT: tree/fat.so: fat, 2
// TREE-NEXT: tree/saxpy.co: device code, 1
// TREE-NOT:  tree/
//
// Only what is asked for, by target, by GPU, by kernel.
// RUN: %kpack inspect --arch=gfx11*,gfx906 --summary fat.so | FileCheck %s --check-prefix=CHOICE
// RUN: %kpack inspect --gpu=gfx1100 --summary fat.so | FileCheck %s --check-prefix=CHOICE
// CHOICE:      fat.so: fat, 2 containers, 2 code objects of {{[0-9]+}} bytes, 3 kernels
// CHOICE-NEXT:   gfx1100
// CHOICE-NOT:  gfx
// RUN: %kpack inspect --gpu=gfx90a:sramecc+:xnack+ --summary fat.so | grep -c 'gfx' | grep '^1$'
// RUN: %kpack inspect --kernel='saxpy*' fat.so | FileCheck %s --check-prefix=KERNEL
// RUN: %kpack inspect --kernel=_Z5saxpyfPKfPf fat.so | FileCheck %s --check-prefix=KERNEL
// KERNEL:     fat.so: fat, 1 container, 2 code objects of {{[0-9]+}} bytes, 2 kernels
// KERNEL-NOT: first
// KERNEL-NOT: scale
// RUN: not %kpack inspect --gpu=gfx90a:xnack- fat.so 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: kpack: error: fat.so: nothing matches --gpu=gfx90a:xnack-; there is code for gfx1100, gfx90a:xnack+
// RUN: not %kpack inspect --kernel=nothing --arch=gfx1100 bin/app 2>&1 | \
// RUN:   grep 'error: bin/app: nothing matches --arch=gfx1100 --kernel=nothing; there is code for gfx1100'
// RUN: not %kpack inspect --gpu=mi300 fat.so 2>&1 | grep "error: --gpu=mi300: 'mi300' is no device; give names such as gfx90a or gfx90a:sramecc+:xnack-"
//
// RUN: %kpack inspect --json fat.so bin/app | FileCheck %s --check-prefix=JSON
// RUN: %kpack inspect --json fat.so bin/app tree | %python -m json.tool
// JSON:      "schema": "kpack.inspect/1",
// JSON-NEXT: "files": [
// JSON:      "path": "fat.so",
// JSON-NEXT: "kind": "fat",
// JSON-NEXT: "containers": [
// JSON:      "kind": "bundle",
// JSON-NEXT: "version": 0,
// JSON-NEXT: "archive": "",
// JSON-NEXT: "key": "",
// JSON-NEXT: "member": "",
// JSON-NEXT: "section": ".hip_fatbin",
// JSON-NEXT: "offset": {{[0-9]+}},
// JSON-NEXT: "size": {{[0-9]+}},
// JSON-NEXT: "plain_size": {{[0-9]+}},
// JSON-NEXT: "code_objects": [
// JSON:      "target": "gfx1100",
// JSON-NEXT: "size": {{[0-9]+}},
// JSON-NEXT: "format": "code object v{{[56]}}",
// JSON-NEXT: "kernels": [
// JSON:      "symbol": "_Z5firstPi",
// JSON-NEXT: "name": "first(int*)",
// JSON-NEXT: "code_size": {{[0-9]+}},
// JSON-NEXT: "vgprs": {{[0-9]+}},
// JSON-NEXT: "sgprs": {{[0-9]+}},
// JSON-NEXT: "agprs": null,
// JSON-NEXT: "vgpr_spills": 0,
// JSON-NEXT: "sgpr_spills": 0,
// JSON-NEXT: "lds_size": 0,
// JSON-NEXT: "private_size": 0,
// JSON-NEXT: "kernarg_size": {{[0-9]+}},
// JSON-NEXT: "wavefront_size": 32,
// JSON-NEXT: "max_workgroup_size": 1024
// JSON:      "kind": "host-only",
// JSON:      "archive": "{{.*}}app_gfx1100.kpack",
// JSON-NEXT: "key": "app#0",
//
// RUN: %kpack inspect %kpack main.hip | FileCheck %s --check-prefix=NONE
// NONE:      kpack: no device code
// NONE-NEXT: main.hip: no device code
//
// Through a pipe, and what is no file.
// RUN: cat ccob.co | %kpack inspect - | grep '^/dev/stdin: device code, 1 container, 2 code objects'
// RUN: not %kpack inspect 2>&1 | grep "error: command line: no file or folder given; see 'kpack inspect --help'"
// RUN: not %kpack inspect /dev/zero 2>&1 | grep 'error: /dev/zero: not a regular file; give files and folders'
// RUN: not %kpack inspect missing 2>&1 | grep 'error: missing: No such file or directory; give a file that can be read'
//
// Damaged: cut off, and a byte changed that only the hash of the bundle covers.
// RUN: head -c 300 ccob.co > cut.co && not %kpack inspect cut.co 2>&1 | grep 'error: cut.co: offload bundle is cut off in its compressed data'
// RUN: %python %S/Inputs/spoil-hash.py ccob.co spoilt.co
// RUN: not %kpack inspect spoilt.co 2>&1 | grep 'error: spoilt.co: offload bundle does not match its hash'
// RUN: head -c 4000 saxpy.hsaco > cut.hsaco && not %kpack inspect cut.hsaco 2>&1 | grep 'error: cut.hsaco: its code object is cut off'
// RUN: rm -f thin.a
// RUN: llvm-ar --thin rc thin.a main.o
// RUN: not %kpack inspect thin.a 2>&1 | grep 'error: thin.a: a thin archive, whose members are elsewhere; give its members'
// RUN: rm bin/.kpack/*.kpack && not %kpack inspect bin/app 2>&1 | grep "error: bin/app: none of its archives is there; 'kpack ref' says where they are to be"
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
int main() {
  first<<<1, 1>>>(nullptr);
  return second();
}
#endif
