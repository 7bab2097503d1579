// -fgpu-rdc with the old driver: device code is beside the host code already,
// in sections for the device link; the wrapper is marked and keeps its symbol.

// DEFINE: %{clang} = %clang++ %hipflags --no-offload-new-driver --offload-arch=gfx1100 -cuid=k -O2 -fgpu-rdc

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %{clang} -fpass-plugin=%kpack_plugin -c %S/Inputs/vadd.hip -o x.o
// RUN: llvm-readelf -SW x.o | FileCheck %s --check-prefix=SECTIONS --implicit-check-not=' .hip_fatbin ' --implicit-check-not=.kpack.devobj
// RUN: llvm-objcopy --dump-section .hipFatBinSegment=wrapper x.o
// RUN: od -An -v -w24 -tx1 wrapper | FileCheck %s --check-prefix=WRAPPER
// RUN: llvm-nm x.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: %{clang} -fplugin=%clang_kpack -save-temps -c %S/Inputs/vadd.hip -o x.o
// RUN: llvm-objcopy --dump-section .hipFatBinSegment=wrapper x.o
// RUN: od -An -v -w24 -tx1 wrapper | FileCheck %s --check-prefix=WRAPPER

// clang's own HIP link would make a fat binary for a wrapper that is marked: it
// fails, even when it collects garbage.
// RUN: not %clang++ -fgpu-rdc --hip-link --no-offload-new-driver --offload-arch=gfx1100 -nogpulib -nostdlib -shared -fuse-ld=lld -Wl,--gc-sections x.o \
// RUN:   -o stock.so 2>&1 | FileCheck %s --check-prefix=STOCK
// STOCK: error: undefined hidden symbol: __rocm_kpack_ref

// SECTIONS: __CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa-{{.*}}gfx1100
// WRAPPER: 48 49 50 4b 01 00 00 00 00 00 00 00 00 00 00 00 8c e4 b1 6b 22 b5 88 94
// SYMBOLS: U __hip_fatbin_9488b5226bb1e48c
// SYMBOLS: U __hip_gpubin_handle_9488b5226bb1e48c
