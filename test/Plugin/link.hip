// Stock clang, a plugin and ld.kpack: from two sources to a host-only binary
// and an archive with the code objects that stock clang makes.

// DEFINE: %{archs} = --offload-arch=gfx1100 --offload-arch=gfx90a:xnack+
// DEFINE: %{a} = %clang++ %hipflags -fPIC -O2 %{archs} -cuid=a %S/Inputs/vadd.hip
// DEFINE: %{b} = %clang++ %hipflags -fPIC -O2 %{archs} -cuid=b %S/Inputs/store.hip
// DEFINE: %{link} = %clang++ -shared -nostdlib -fuse-ld=lld --ld-path=%ld_kpack -Wl,--kpack=out.kpack
// DEFINE: %{check} = llvm-readelf -SW x.so | FileCheck %s --check-prefix=SECTIONS --implicit-check-not=' .hip_fatbin ' \
// DEFINE:   --implicit-check-not=.kpack.devobj && rm -rf got && %kpack extract out.kpack -o got/ && diff -r expected got && rm x.so out.kpack

// RUN: rm -rf %t && mkdir -p %t/expected/x.so#0 %t/expected/x.so#1 && cd %t
// RUN: %{a} --offload-device-only --no-gpu-bundle-output -c
// RUN: %{b} --offload-device-only --no-gpu-bundle-output -c
// RUN: mv vadd-hip-*-gfx1100.out expected/x.so#0/gfx1100.co && mv vadd-hip-*-gfx90a:xnack+.out expected/x.so#0/gfx90a:xnack+.co
// RUN: mv store-hip-*-gfx1100.out expected/x.so#1/gfx1100.co && mv store-hip-*-gfx90a:xnack+.out expected/x.so#1/gfx90a:xnack+.co

// RUN: %{a} -fpass-plugin=%kpack_plugin -c -o a.o
// RUN: %{b} -fplugin=%clang_kpack -c -o b.o
// RUN: %{link} a.o b.o -o x.so && %{check}

// The payload comes out of bitcode just as well.
// RUN: %{a} -fpass-plugin=%kpack_plugin -flto=thin -c -o a.o
// RUN: %{b} -fplugin=%clang_kpack -flto=thin -c -o b.o
// RUN: %{link} -flto=thin a.o b.o -o x.so && %{check}
// RUN: %{a} -fpass-plugin=%kpack_plugin -flto -c -o a.o
// RUN: %{b} -fpass-plugin=%kpack_plugin -flto -c -o b.o
// RUN: %{link} -flto a.o b.o -o x.so && %{check}

// A stock link of such objects fails.
// RUN: not %clang++ -shared -nostdlib -fuse-ld=lld -flto a.o b.o -o x.so 2>&1 | FileCheck %s --check-prefix=STOCK
// STOCK: undefined hidden symbol: __hip_fatbin_

// Two sources with one cuid are told apart by their code.
// RUN: %{a} -cuid=same -fpass-plugin=%kpack_plugin -c -o a.o
// RUN: %{b} -cuid=same -fpass-plugin=%kpack_plugin -c -o b.o
// RUN: not %{link} a.o b.o -o x.so 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: ld.kpack: error: b.o: two translation units with one cuid
// RUN: not ls x.so out.kpack

// SECTIONS: .rocm_kpack_ref
