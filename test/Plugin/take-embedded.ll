; An embedded bundle leaves the module: its code objects become the payload, the
; wrapper points to the symbol of the module's cuid, which has no leading zeros.

; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack -S %s -o %t.ll
; RUN: FileCheck %s --input-file=%t.ll --implicit-check-not='section ".hip_fatbin"'

; Every pipeline does it, because the first pass is preceded by it.
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=verify -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%kpack_plugin -passes='default<O0>' -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%kpack_plugin -passes='thinlto-pre-link<O2>' -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%kpack_plugin -passes='lto<O2>' -S %s | FileCheck %s

; Once more changes nothing.
; RUN: opt -load-pass-plugin=%kpack_plugin -passes=kpack,kpack -S %t.ll -o %t.again.ll
; RUN: cat %t.ll | sed 's/^; ModuleID.*//' >%t.once
; RUN: cat %t.again.ll | sed 's/^; ModuleID.*//' | cmp %t.once -

; The section is not for the linked output.
; RUN: llc -filetype=obj %t.ll -o %t.o
; RUN: llvm-readelf -SW %t.o | FileCheck %s --check-prefix=ELF
; RUN: llvm-objcopy --dump-section .kpack.devobj=%t.devobj %t.o %t.copy.o
; RUN: clang-offload-packager %t.devobj --image=file=%t.co,arch=gfx1100,kind=hip,kpack.token=03fc15a68e0db35d
; RUN: echo 'code for 1100' | cmp - %t.co

; CHECK-DAG: @__hip_fatbin_wrapper = internal constant {{.*}} { i32 1263552840, i32 1, ptr @__hip_fatbin_3fc15a68e0db35d, ptr inttoptr (i64 287128281336886109 to ptr) }, section ".hipFatBinSegment", align 8
; CHECK-DAG: @__hip_fatbin_3fc15a68e0db35d = external hidden constant i8
; CHECK-DAG: @llvm.embedded.object = private constant {{.*}}, section ".kpack.devobj", align 8, !exclude
; ELF: .kpack.devobj PROGBITS {{[0-9a-f]+ [0-9a-f]+ [0-9a-f]+}} 00 E 0 0 8

source_filename = "x.hip"
target triple = "x86_64-unknown-linux-gnu"

@0 = private constant [156 x i8] c"__CLANG_OFFLOAD_BUNDLE__\02\00\00\00\00\00\00\00\8E\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\1E\00\00\00\00\00\00\00host-x86_64-unknown-linux-gnu-\8E\00\00\00\00\00\00\00\0E\00\00\00\00\00\00\00 \00\00\00\00\00\00\00hipv4-amdgcn-amd-amdhsa--gfx1100code for 1100\0A", section ".hip_fatbin", align 4096
@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1212764230, i32 1, ptr @0, ptr null }, section ".hipFatBinSegment", align 8
@__hip_cuid_3fc15a68e0db35d = global i8 0
@llvm.compiler.used = appending global [1 x ptr] [ptr @__hip_cuid_3fc15a68e0db35d], section "llvm.metadata"

define ptr @ctor() {
  %handle = call ptr @__hipRegisterFatBinary(ptr @__hip_fatbin_wrapper)
  ret ptr %handle
}

declare ptr @__hipRegisterFatBinary(ptr)
