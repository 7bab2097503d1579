// A host-only compile: there is no device code in the module, the wrapper is
// marked and keeps its symbol. Also where clang writes IR: with no pass to run
// before, the plugin acts before the module is written.

// DEFINE: %{clang} = %clang++ %hipflags --offload-arch=gfx1100 --offload-host-only -cuid=k -Xclang -cuid=k %S/Inputs/vadd.hip

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %{clang} -fpass-plugin=%kpack_plugin -S -emit-llvm -o - | FileCheck %s
// RUN: %{clang} -fpass-plugin=%kpack_plugin -S -emit-llvm -O2 -o - | FileCheck %s
// RUN: %{clang} -fpass-plugin=%kpack_plugin -S -emit-llvm -Xclang -disable-llvm-passes -o - | FileCheck %s
// RUN: %{clang} -fpass-plugin=%kpack_plugin -c -emit-llvm -Xclang -disable-llvm-passes -o x.bc && llvm-dis x.bc -o - | FileCheck %s
// RUN: %{clang} -fplugin=%clang_kpack -S -emit-llvm -o - | FileCheck %s
// RUN: %{clang} -fplugin=%clang_kpack -c -emit-llvm -Xclang -disable-llvm-passes -o x.bc && llvm-dis x.bc -o - | FileCheck %s
// RUN: %{clang} -fpass-plugin=%kpack_plugin -S -o - | FileCheck %s --check-prefix=ASM
// RUN: %{clang} -fplugin=%clang_kpack -S -Xclang -disable-llvm-passes -o - | FileCheck %s --check-prefix=ASM
// RUN: %if llvm-22 %{ %{clang} -fpass-plugin=%kpack_plugin -S -Xclang -disable-llvm-passes -o - | FileCheck %s --check-prefix=ASM %}

// CHECK: @__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1263552840, i32 1, ptr @__hip_fatbin_9488b5226bb1e48c, ptr inttoptr (i64 -7743740399823231860 to ptr) }, section ".hipFatBinSegment"
// CHECK-NOT: .kpack.devobj

// ASM:      __hip_fatbin_wrapper:
// ASM-NEXT: .long 1263552840
// ASM-NEXT: .long 1
// ASM-NEXT: .quad __hip_fatbin_9488b5226bb1e48c
// ASM-NEXT: .quad -7743740399823231860
