// REQUIRES: llvm-19
// The same with two real compilers: plugins of LLVM 19 in clang 22.

// DEFINE: %{clang22} = /usr/lib/llvm-22/bin/clang++ %hipflags --offload-arch=gfx1100 -cuid=k %S/Inputs/vadd.hip

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: not %{clang22} -fpass-plugin=%kpack_plugin -c -o x.o 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error: KpackPlugin.so: made for LLVM 19, loaded by LLVM 22; use the plugin of a kpack built with -DKPACK_LLVM_VERSION=22
// PASS: error: unable to load plugin '{{.*}}KpackPlugin.so'
// RUN: not %{clang22} -fplugin=%clang_kpack -c -o x.o 2>&1 | FileCheck %s --check-prefix=FRONTEND
// FRONTEND: error: ClangKpack.so: made for LLVM 19, loaded by LLVM 22; use the plugin of a kpack built with -DKPACK_LLVM_VERSION=22
// RUN: not ls x.o
