// Without a cuid the symbol of a host-only or RDC compile is the same in every
// source: refused, once, whichever hooks come by. An ordinary compile has its
// device code in the module; a hash of the bundle takes the cuid's place.

// DEFINE: %{clang} = %clang++ %hipflags --offload-arch=gfx1100 -fuse-cuid=none -cuid= %S/Inputs/vadd.hip

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: not %{clang} -fpass-plugin=%kpack_plugin -c --offload-host-only -o x.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %{clang} -fplugin=%clang_kpack -fpass-plugin=%kpack_plugin -O2 -c --offload-host-only -o x.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %{clang} -fpass-plugin=%kpack_plugin -c -fgpu-rdc --no-offload-new-driver -o x.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %{clang} -fplugin=%clang_kpack -c -fgpu-rdc --no-offload-new-driver -save-temps -o x.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not ls x.o
// CHECK: error: {{.*}}vadd.hip: '__hip_fatbin{{_?}}' does not tell this source from others, its device code could not be found; drop -fuse-cuid=none or pass -cuid=<id>

// RUN: %{clang} -fpass-plugin=%kpack_plugin -c -o x.o
// RUN: llvm-nm x.o | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not=__hip_fatbin_{{[0-9a-f]}}
// RUN: llvm-objcopy --dump-section .hipFatBinSegment=wrapper --dump-section .kpack.devobj=devobj x.o copy.o
// RUN: od -An -v -w24 -tx1 wrapper | FileCheck %s --check-prefix=WRAPPER
// RUN: llvm-readelf -SW x.o | FileCheck %s --check-prefix=SECTIONS --implicit-check-not=' .hip_fatbin '
// WRAPPER: 48 49 50 4b 01 00 00 00 00 00 00 00 00 00 00 00 {{[0-9a-f]{2}( [0-9a-f]{2}){7}$}}
// SYMBOLS: U __rocm_kpack_ref
// SECTIONS: .kpack.devobj
