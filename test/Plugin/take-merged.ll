; Modules that llvm-link has merged: the second wrapper has another name, and
; nothing says which of the two cuids is whose. Both become a hash of their own
; bundle, both wrappers point to the marker.

; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: llvm-link a.ll b.ll -S -o ab.ll
; RUN: FileCheck %s --input-file=ab.ll --check-prefix=LINKED
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack -S ab.ll -o x.ll
; RUN: FileCheck %s --input-file=x.ll --implicit-check-not='section ".hip_fatbin"'
; RUN: llc -filetype=obj x.ll -o x.o && llvm-objcopy --dump-section .kpack.devobj=devobj x.o copy.o
; RUN: clang-offload-packager devobj --image=file=a.co,arch=gfx1100 --image=file=b.co,arch=gfx90a:xnack+
; RUN: echo 'code for 1100' | cmp - a.co
; RUN: echo 'code for 90a' | cmp - b.co

; A module that was merged after the pass has seen one part only.
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack -S a.ll -o a-done.ll
; RUN: llvm-link a-done.ll b.ll -S -o half.ll
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack -S half.ll -o - | FileCheck %s --check-prefix=HALF

; LINKED: @__hip_fatbin_wrapper.[[#]] = internal constant {{.*}} { i32 1212764230,
; CHECK: @__hip_fatbin_wrapper = internal constant {{.*}} { i32 1263552840, i32 1, ptr @__rocm_kpack_ref, ptr inttoptr (i64 [[A:-?[0-9]+]] to ptr) }
; CHECK-NOT: i64 [[A]]
; CHECK: @__hip_fatbin_wrapper.{{[0-9]+}} = internal constant {{.*}} { i32 1263552840, i32 1, ptr @__rocm_kpack_ref, ptr inttoptr (i64 {{-?[0-9]+}} to ptr) }
; CHECK: @__rocm_kpack_ref = external hidden constant i8
; HALF-DAG: { i32 1263552840, i32 1, ptr @__hip_fatbin_a, ptr inttoptr (i64 10 to ptr) }
; HALF-DAG: { i32 1263552840, i32 1, ptr @__rocm_kpack_ref, ptr inttoptr (i64 {{-?[0-9]+}} to ptr) }

;--- a.ll
target triple = "x86_64-unknown-linux-gnu"
@0 = private constant [156 x i8] c"__CLANG_OFFLOAD_BUNDLE__\02\00\00\00\00\00\00\00\8E\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\1E\00\00\00\00\00\00\00host-x86_64-unknown-linux-gnu-\8E\00\00\00\00\00\00\00\0E\00\00\00\00\00\00\00 \00\00\00\00\00\00\00hipv4-amdgcn-amd-amdhsa--gfx1100code for 1100\0A", section ".hip_fatbin", align 4096
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @0, ptr null }, section ".hipFatBinSegment", align 8
@__hip_cuid_a = global i8 0
@a = global ptr @__hip_fatbin_wrapper
;--- b.ll
target triple = "x86_64-unknown-linux-gnu"
@0 = private constant [161 x i8] c"__CLANG_OFFLOAD_BUNDLE__\02\00\00\00\00\00\00\00\94\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\1E\00\00\00\00\00\00\00host-x86_64-unknown-linux-gnu-\94\00\00\00\00\00\00\00\0D\00\00\00\00\00\00\00&\00\00\00\00\00\00\00hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+code for 90a\0A", section ".hip_fatbin", align 4096
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @0, ptr null }, section ".hipFatBinSegment", align 8
@__hip_cuid_b = global i8 0
@b = global ptr @__hip_fatbin_wrapper
