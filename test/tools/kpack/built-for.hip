// What a program was built for is in its marker: an archive that is missing is
// noticed, whichever others are there, and a message names the source.
//
// RUN: rm -rf %t && mkdir -p %t/bin && cd %t && cp %s saxpy.hip && cp %s main.hip
// DEFINE: %{hip} = %kpack_clang %hipflags -O1 --emit-kpack
// DEFINE: %{link} = %kpack_clang --emit-kpack %fakehip
// RUN: %{hip} --offload-arch=gfx1100,gfx90a:xnack-,gfx1030 -c main.hip -o one.o
// RUN: %{hip} --offload-arch=gfx1100,gfx90a:xnack- -DSECOND -c saxpy.hip -o two.o
// RUN: %{link} one.o two.o -o bin/app
//
// In order; that a TU was compiled for less is a note.
// RUN: %kpack verify bin/app 2>&1 | FileCheck %s --check-prefix=WHOLE --implicit-check-not=error
// WHOLE-DAG: kpack: note: bin/app: 'app#1' (saxpy.hip) was not compiled for gfx1030, for which others were
// WHOLE-DAG: bin/app: ok: 2 wrappers, 3 architectures
// RUN: %kpack ref bin/app | FileCheck %s --check-prefix=REF --implicit-check-not='no archive'
// REF:      built for    gfx1030
// REF-NEXT: built for    gfx1100
// REF-NEXT: built for    gfx90a:xnack-
// REF:      wrapper 0    HIPK, index 0, points to the marker, main.hip, for gfx1030 gfx1100 gfx90a:xnack-
// REF-NEXT: wrapper 1    HIPK, index 1, points to the marker, saxpy.hip, for gfx1100 gfx90a:xnack-
//
// A missing archive is a problem.
// RUN: rm bin/.kpack/app_gfx90a-xnack-.kpack
// RUN: not %kpack verify bin/app 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: kpack: error: bin/app: no archive for gfx90a:xnack-, for which it was built, looked for {{.*}}/bin/.kpack/app_gfx90a-xnack-.kpack; put it there, or say with --arch= or --gpu= which targets are meant to be there
// RUN: %kpack ref bin/app | FileCheck %s --check-prefix=REFMISSING
// REFMISSING:      built for    gfx1100
// REFMISSING-NEXT: built for    gfx90a:xnack- no archive
// RUN: %kpack ref --json bin/app | FileCheck %s --check-prefix=JSON
// JSON:      "built_for": [
// JSON:      "target": "gfx90a:xnack-",
// JSON-NEXT: "has_archive": false
// JSON:      "source": "saxpy.hip",
// JSON-NEXT: "built_for": [
// JSON-NEXT:   "gfx1100",
//
// One GPU's archives are an installation, too.
// RUN: %kpack verify --arch=gfx1100 bin/app | FileCheck %s --check-prefix=ONE
// RUN: %kpack verify --gpu=gfx1100 bin/app | FileCheck %s --check-prefix=ONE
// RUN: %kpack verify --arch='gfx1?00' bin/app | FileCheck %s --check-prefix=ONE
// ONE: bin/app: ok: 2 wrappers, 1 architecture
// RUN: %kpack verify --gpu=gfx1030 --arch=gfx1100 bin/app 2>&1 | FileCheck %s --check-prefix=LESS
// LESS: kpack: note: bin/app: 'app#1' (saxpy.hip) was not compiled for gfx1030
// RUN: not %kpack verify --gpu=gfx1100,gfx90a:sramecc+:xnack- bin/app 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not %kpack verify --arch=gfx1100,gfx90a:xnack- bin/app 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: kpack: error: bin/app: no archive for gfx90a:xnack-, for which it was built,
// RUN: not %kpack verify --gpu=gfx906 bin/app 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: kpack: error: bin/app: not built for gfx906, but for gfx1030, gfx1100, gfx90a:xnack-; build it with --offload-arch=gfx906
// RUN: not %kpack verify --arch=gfx906 bin/app 2>&1 | FileCheck %s --check-prefix=OTHERARCH
// OTHERARCH: kpack: error: bin/app: not built for any of --arch=gfx906, but for gfx1030, gfx1100, gfx90a:xnack-; ask for one of these
// RUN: not %kpack verify --expect-arch=gfx1100,gfx906 --arch=gfx1100 bin/app 2>&1 | FileCheck %s --check-prefix=EXPECT
// EXPECT: kpack: error: bin/app: not built for gfx906, which is expected, but for gfx1030, gfx1100, gfx90a:xnack-; build it with --offload-arch=gfx906
// RUN: not %kpack verify --expect-arch=gfx90a:xnack- --arch=gfx1100 bin/app 2>&1 | FileCheck %s --check-prefix=EXPECTED
// EXPECTED: kpack: error: bin/app: no code for gfx90a:xnack-, which is expected, looked for {{.*}}/bin/.kpack/app_gfx90a-xnack-.kpack; put its archive there
// RUN: not %kpack verify --gpu=pixel bin/app 2>&1 | FileCheck %s --check-prefix=NOGPU
// NOGPU: kpack: error: --gpu=pixel: 'pixel' is no device; give names such as gfx90a or gfx90a:sramecc+:xnack-
//
// An archive of another program under its name is there, and said to be wrong
// once: nothing is to be put there.
// RUN: %{link} -shared two.o -o stranger && cp .kpack/stranger_gfx90a-xnack-.kpack bin/.kpack/app_gfx90a-xnack-.kpack
// RUN: not %kpack verify bin/app 2>&1 | FileCheck %s --check-prefix=STRANGER --implicit-check-not='no archive for'
// STRANGER: kpack: error: {{.*}}app_gfx90a-xnack-.kpack: archive_id is {{.*}}; install binary and archives of one build
// RUN: rm bin/.kpack/app_gfx90a-xnack-.kpack
//
// What the loader says when a program asks for it.
// RUN: env ROCM_KPACK_DEBUG=1 FAKE_HIP_ARCHS=gfx90a:sramecc+:xnack-,gfx906,gfx1030 ./bin/app > loader.txt 2>&1
// RUN: FileCheck %s --check-prefix=LOADER --input-file=loader.txt
// LOADER-DAG: bin/app: no archive for gfx90a:xnack-, for which it was built, looked for {{.*}}/bin/.kpack/app_gfx90a-xnack-.kpack; install it with the program, or name it with ROCM_KPACK_PATH
// LOADER-DAG: bin/app: 'app#0' (main.hip) was not compiled for this device, gfx906, but for gfx1030, gfx1100, gfx90a:xnack-; compile it with --offload-arch=gfx906
// LOADER-DAG: bin/app: 'app#1' (saxpy.hip) was not compiled for this device, gfx1030, but for gfx1100, gfx90a:xnack-; compile it with --offload-arch=gfx1030
//
// Members of libraries: linked all, one of many with more names than there is
// room set aside for, and with less.
// RUN: llvm-ar rcs libboth.a two.o && %{link} one.o libboth.a -o bin/archived && %kpack verify bin/archived 2>&1 | FileCheck %s --check-prefix=ARCHIVED
// ARCHIVED: bin/archived: ok: 2 wrappers, 3 architectures
// RUN: for i in $(seq 12); do cp saxpy.hip unused_with_a_name_with_a_name_with_a_name_with_a_name_with_a_name_with_a_name_with_a_name_with_a_name_$i.hip && \
// RUN:   %{hip} --offload-arch=gfx1100 -DSECOND=unused$i -c \
// RUN:   unused_with_a_name_with_a_name_with_a_name_with_a_name_with_a_name_with_a_name_with_a_name_with_a_name_$i.hip -o unused$i.o || exit 1; done
// RUN: llvm-ar rcs libmany.a unused*.o two.o
// RUN: %{link} one.o libmany.a -o bin/many
// RUN: %kpack verify bin/many 2>&1 | FileCheck %s --check-prefix=MANY --implicit-check-not=error
// MANY: bin/many: ok: 2 wrappers, 3 architectures
// RUN: %{link} one.o two.o -Wl,--whole-archive libmany.a -Wl,--no-whole-archive -Wl,--allow-multiple-definition -o bin/all
// RUN: %kpack verify --arch=gfx1100 bin/all 2>&1 | FileCheck %s --check-prefix=ALL --implicit-check-not=error
// ALL: bin/all: ok: 15 wrappers, 1 architecture
//
#include <hip_mini.h>
#ifdef SECOND
#define JOIN(A, B) A##B
#define NAME(A, B) JOIN(A, B)
__global__ void NAME(kernel_, SECOND)(int *P) { *P = 2; }
int NAME(second, SECOND)() {
  NAME(kernel_, SECOND)<<<1, 1>>>(nullptr);
  return 0;
}
#else
int second1();
__global__ void first_kernel(int *P) { *P = 1; }
int main() {
  first_kernel<<<1, 1>>>(nullptr);
  return second1();
}
#endif
