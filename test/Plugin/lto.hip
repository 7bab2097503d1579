// Host LTO: the object is bitcode, the payload rides in it as an embedded
// object. What code generation makes of the bitcode, without any plugin, is the
// same as what one compile makes with it.

// DEFINE: %{clang} = %clang++ %hipflags --offload-arch=gfx1100 --offload-arch=gfx90a:xnack+ -cuid=k -O2
// DEFINE: %{check} = FileCheck %s --input-file=x.ll --implicit-check-not='section ".hip_fatbin"' && %clang++ -O2 -x ir -c x.bc -o x.o && \
// DEFINE:   %S/Inputs/check-object.sh x.o 9488b5226bb1e48c expected

// RUN: rm -rf %t && mkdir -p %t/expected && cd %t
// RUN: %{clang} --offload-device-only --no-gpu-bundle-output -c %S/Inputs/vadd.hip
// RUN: mv vadd-hip-*-gfx1100.out expected/gfx1100.co
// RUN: mv vadd-hip-*-gfx90a:xnack+.out expected/gfx90a:xnack+.co

// RUN: %{clang} -fpass-plugin=%kpack_plugin -flto=thin -c %S/Inputs/vadd.hip -o x.bc
// RUN: llvm-dis x.bc -o x.ll && %{check}
// RUN: %{clang} -fpass-plugin=%kpack_plugin -flto -c %S/Inputs/vadd.hip -o x.bc
// RUN: llvm-dis x.bc -o x.ll && %{check}
// RUN: %{clang} -fplugin=%clang_kpack -flto=thin -c %S/Inputs/vadd.hip -o x.bc
// RUN: llvm-dis x.bc -o x.ll && %{check}

// The object of a module that was stored before the kpack pass ran:
// RUN: %{clang} -flto=thin -c %S/Inputs/vadd.hip -o fat.bc
// RUN: llvm-dis fat.bc -o - | FileCheck %s --check-prefix=FAT
// FAT: section ".hip_fatbin"
// RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack fat.bc -o x.bc
// RUN: llvm-dis x.bc -o x.ll && %{check}
// RUN: %clang++ -O2 -fpass-plugin=%kpack_plugin -x ir -c fat.bc -o x.o
// RUN: %S/Inputs/check-object.sh x.o 9488b5226bb1e48c expected

// In a linker's LTO it is too late to hand the payload on. The plugin still does
// not let the fat binary pass: the link ends with an undefined symbol.
// RUN: not ld.lld -shared --load-pass-plugin=%kpack_plugin fat.bc -o x.so 2>&1 | FileCheck %s --check-prefix=LLD
// LLD: error: undefined hidden symbol: __hip_fatbin_9488b5226bb1e48c

// CHECK-DAG: @__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1263552840, i32 1, ptr @__hip_fatbin_9488b5226bb1e48c, ptr inttoptr (i64 -7743740399823231860 to ptr) }, section ".hipFatBinSegment"
// CHECK-DAG: @__hip_fatbin_9488b5226bb1e48c = external hidden constant i8
// CHECK-DAG: @llvm.embedded.object = private constant {{.*}}, section ".kpack.devobj", align 8, !exclude
// CHECK-DAG: !llvm.embedded.objects = !{[[OBJECT:![0-9]+]]}
// CHECK-DAG: [[OBJECT]] = !{ptr @llvm.embedded.object, !".kpack.devobj"}
