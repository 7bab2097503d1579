// REQUIRES: llvm-22
// (LLVM 19 gives a compile with the new driver no cuid; no-cuid.hip has that.)
// clang's new offload driver. Without -fgpu-rdc it embeds a bundle like the old
// one, with other device code in it; its code objects are compared with those
// that the bundle of a stock object holds.

// DEFINE: %{clang} = %clang++ %hipflags --offload-arch=gfx1100 --offload-arch=gfx1101 -cuid=k -O2 --offload-new-driver
// DEFINE: %{check} = %S/Inputs/check-object.sh x.o 9488b5226bb1e48c expected

// RUN: rm -rf %t && mkdir -p %t/expected && cd %t
// RUN: %{clang} -c %S/Inputs/vadd.hip -o fat.o
// RUN: llvm-objcopy --dump-section .hip_fatbin=bundle fat.o
// RUN: clang-offload-bundler --list --type=o --input=bundle >ids
// RUN: for arch in gfx1100 gfx1101; do clang-offload-bundler --unbundle --type=o --input=bundle --targets=$(grep $arch ids) --output=expected/$arch.co; done

// RUN: %{clang} -fpass-plugin=%kpack_plugin -c %S/Inputs/vadd.hip -o x.o
// RUN: %{check}
// RUN: %{clang} -fplugin=%clang_kpack -c %S/Inputs/vadd.hip -o x.o
// RUN: %{check}
// RUN: %{clang} -fpass-plugin=%kpack_plugin --offload-compress -c %S/Inputs/vadd.hip -o x.o
// RUN: %{check}

// With -fgpu-rdc the fat binary is made at link, by clang-linker-wrapper: the
// plugin has nothing to do, and says so, once.
// RUN: %{clang} -fpass-plugin=%kpack_plugin -fgpu-rdc -c %S/Inputs/vadd.hip -o x.o 2>&1 | FileCheck %s --check-prefix=RDC --implicit-check-not=warning:
// RUN: %{clang} -fplugin=%clang_kpack -fgpu-rdc -c -save-temps %S/Inputs/vadd.hip -o x.o 2>&1 | FileCheck %s --check-prefix=RDC --implicit-check-not=warning:
// RUN: %{clang} -fpass-plugin=%kpack_plugin -fgpu-rdc -Werror -Wno-backend-plugin -c %S/Inputs/vadd.hip -o x.o
// RUN: llvm-readelf -SW x.o | FileCheck %s --check-prefix=RDC-OBJECT
// RDC: warning: {{.*}}vadd.hip: -fgpu-rdc with the new offload driver makes its fat binary at link, out of the plugin's reach; link with ld.kpack as the linker of clang-linker-wrapper, or compile with --no-offload-new-driver [-Wbackend-plugin]
// RDC-OBJECT: .llvm.offloading
